// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/factored/saved_matrices.hpp"

#include "layout/line_status.hpp"
#include "layout/saved_matrices.hpp"
#include "solver/cuda/broadcast.hpp"

#include <algorithm>
#include <utility>

namespace tridia::cuda {

using namespace gpu;

namespace {

using layout::array;
using solver::factor_block;

constexpr array parts[] = {layout::sub, layout::diag, layout::sup};

/// Returns whether each matrix has one right-hand side.
bool is_single(const task& t) {
  return t.geometry.right_sides.size == 1 && t.geometry.matrices.size > 1;
}

task with_geometry(task t, const geometry& g) {
  t.geometry = g;
  t.coefficients = coefficients::per_system;
  return t;
}

class saved_matrices final : public factored_method {
 public:
  saved_matrices(const task& t, const device_limits& d)
      : task_(t),
        saved_(with_geometry(t, layout::with_dense_matrices(t.geometry))),
        trial_(with_geometry(t, layout::with_diagonals_as_rhs(saved_.geometry))),
        solve_(is_single(t) ? choose_method(saved_, d) : make_broadcast_method(saved_, d)) {
    if (solve_) by_trial_ = choose_method(trial_, d);
  }
  [[nodiscard]] bool is_possible() const { return solve_ && by_trial_; }

  std::string description() const override { return solve_->description(); }
  bool scans() const override { return false; }
  std::size_t factors_bytes() const override {
    // The last array has x of the trial.
    return solver::alignment + solver::status_bytes(task_.geometry) + 4 * array_bytes() +
           by_trial_->workspace_bytes();
  }
  std::size_t workspace_bytes() const override { return solve_->workspace_bytes(); }

  cudaError_t factor(const operands& o, const factor_block& to,
                     cudaStream_t stream) const override {
    const auto pitch = static_cast<index_t>(array_bytes() / size_of(task_.type));
    const cudaError_t result = launch_copy_matrices(task_.type, task_.geometry, o, saved_.geometry,
                                                    to.data, pitch, stream);
    if (result != cudaSuccess) return result;
    operands all = with_matrices(o, to);
    all.in[layout::rhs] = all.in[layout::diag];
    all.x = to.data + 3 * array_bytes();
    all.status = to.status;
    return by_trial_->solve(all, to.data + 4 * array_bytes(), stream);
  }
  cudaError_t substitute(const operands& o, const factor_block& factors, void* workspace,
                         cudaStream_t stream) const override {
    return solve_->solve(with_matrices(o, factors), solver::align(workspace), stream);
  }

 private:
  std::size_t array_bytes() const {
    const index_t rows = task_.geometry.rows * task_.geometry.matrices.size;
    return solver::round_up(static_cast<std::size_t>(rows) * size_of(task_.type));
  }
  operands with_matrices(operands o, const factor_block& block) const {
    for (const array a : parts) {
      o.in[a] = block.data + static_cast<std::size_t>(a) * array_bytes();
    }
    return o;
  }

  const task& task_;
  task saved_, trial_;  // which the methods refer to
  std::unique_ptr<const method> solve_, by_trial_;
};

}  // namespace

std::unique_ptr<const factored_method> make_saved_matrices(const task& t, const device_limits& d) {
  if (t.options.algorithm != algorithm::partition || !t.ragged.empty() || t.constant) return {};
  if (line_count(t) == 0) return {};
  auto made = std::make_unique<saved_matrices>(t, d);
  if (!made->is_possible()) return {};
  return made;
}

}  // namespace tridia::cuda
