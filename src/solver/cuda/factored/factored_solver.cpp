// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/factored/factored_solver.hpp"

#include "gpu/check.hpp"
#include "layout/line_status.hpp"
#include "line_operator/constant.hpp"
#include "line_operator/cuda/scan_plan.hpp"
#include "solver/cuda/broadcast.hpp"
#include "solver/cuda/thread_per_system.hpp"

#include <optional>
#include <utility>

namespace tridia::cuda {

using namespace gpu;
using solver::factor_block;

factored_solver::factored_solver(const task& t, const factored_method& m, const device_limits& d)
    : task_(t), method_(m), concurrent_systems_(concurrent_systems_for(line_count(t), d)) {}

cudaError_t factored_solver::enter_statuses(const factor_block& block, index_t* status,
                                            cudaStream_t stream) const {
  if (status == nullptr || line_count(task_) == 0) return cudaSuccess;
  return launch_enter_statuses(task_.geometry, block.status, status, concurrent_systems_, stream);
}

cudaError_t factored_solver::factor(const operands& o, const factor_block& block,
                                    cudaStream_t stream) const {
  const cudaError_t result = method_.factor(o, block, stream);
  return result == cudaSuccess ? enter_statuses(block, o.status, stream) : result;
}

cudaError_t factored_solver::solve(const operands& o, const factor_block& block, void* workspace,
                                   cudaStream_t stream) const {
  const bool shared = layout::shares_status(task_.geometry);
  cudaError_t result = cudaSuccess;
  if (shared) result = enter_statuses(block, o.status, stream);
  if (result == cudaSuccess) result = method_.substitute(o, block, workspace, stream);
  if (result != cudaSuccess || !shared) return result;
  return launch_share_nan(task_.type, task_.geometry, o.x, o.status, concurrent_systems_, stream);
}

namespace {

class factoring_method final : public method {
 public:
  factoring_method(const task& t, const factored_method& m, const device_limits& d)
      : task_(t), method_(m), solver_(t, m, d) {}
  std::string description() const override { return method_.description(); }
  std::size_t workspace_bytes() const override {
    return solver::alignment + method_.factors_bytes() + method_.workspace_bytes();
  }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    const factor_block block = solver::split_factors(task_.geometry, workspace);
    std::byte* const rest = workspace + method_.factors_bytes();
    if (!layout::shares_status(task_.geometry)) return method_.solve(o, block, rest, stream);
    const cudaError_t result = method_.factor(o, block, stream);
    return result == cudaSuccess ? solver_.solve(o, block, rest, stream) : result;
  }

 private:
  const task& task_;
  const factored_method& method_;
  factored_solver solver_;
};

/// Substitutes with the factors of a constant matrix.
class constant_substitution final : public method {
 public:
  constant_substitution(const task& t, const factored_method& m, const device_limits& d,
                        device_memory factors)
      : task_(t), method_(m), solver_(t, m, d), factors_(std::move(factors)) {}
  std::string description() const override { return method_.description(); }
  cudaError_t solve(const operands& o, std::byte*, cudaStream_t stream) const override {
    return solver_.solve(o, solver::split_factors(task_.geometry, factors_.as<void>()), nullptr,
                         stream);
  }

 private:
  const task& task_;
  const factored_method& method_;
  factored_solver solver_;
  device_memory factors_;
};

class constant_scan final : public method {
 public:
  constant_scan(const task& t, const device_limits& d,
                std::unique_ptr<const line_operator::scan_plan> scan)
      : task_(t),
        concurrent_systems_(concurrent_systems_for(line_count(t), d)),
        scan_(std::move(scan)) {}
  std::string description() const override { return scan_->description(); }
  std::size_t workspace_bytes() const override { return scan_->workspace_bytes(); }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    const bool shared = layout::shares_status(g);
    if (o.status != nullptr && shared) {
      const cudaError_t result =
          launch_enter_statuses(g, nullptr, o.status, concurrent_systems_, stream);
      if (result != cudaSuccess) return result;
    }
    scan_->apply({o.in[layout::rhs], o.x, 1, false, o.status}, workspace, stream);
    if (!shared) return cudaSuccess;
    return launch_share_nan(task_.type, g, o.x, o.status, concurrent_systems_, stream);
  }

 private:
  const task& task_;
  index_t concurrent_systems_;
  std::unique_ptr<const line_operator::scan_plan> scan_;
};

std::unique_ptr<const line_operator::scan_plan> scan_for(
    const task& t, const line_operator::constant_factors* known, const device_limits& d) {
  // Lines that are held in rows of 64 bytes take 10 % longer in two parts.
  constexpr index_t least_row = 64;
  if (t.options.algorithm != algorithm::partition || t.geometry.rows < 3) return {};
  return line_operator::scan_plan::make(line_operator::solving_with(*t.constant), t.type,
                                        t.geometry, least_row, d, known);
}

}  // namespace

std::unique_ptr<const method> make_factoring_method(const task& t, const factored_method& m,
                                                    const device_limits& d) {
  return std::make_unique<factoring_method>(t, m, d);
}

std::unique_ptr<const method> make_constant_method(const task& t, const factored_method& m,
                                                   const device_limits& d) {
  std::optional<line_operator::constant_factors> factors;
  // This throws if the matrix is singular.
  const auto factor = [&] { factors = line_operator::factor(*t.constant, t.pivoting); };
  if (t.geometry.rows <= line_operator::most_factored_rows) factor();
  if (auto scan = scan_for(t, factors ? &*factors : nullptr, d)) {
    return std::make_unique<constant_scan>(t, d, std::move(scan));
  }
  if (!factors) factor();
  if (auto broadcast = make_broadcast_method(t, d)) return broadcast;
  return std::make_unique<constant_substitution>(t, m, d,
                                                 upload(line_operator::rounded(*factors, t.type)));
}

}  // namespace tridia::cuda
