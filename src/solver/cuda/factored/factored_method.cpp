// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gpu/check.hpp"
#include "solver/choice.hpp"
#include "solver/cuda/factored/factored_scan.hpp"
#include "solver/cuda/factored/saved_matrices.hpp"
#include "solver/cuda/factored/substitute.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/thread_per_system.hpp"

#include <algorithm>
#include <optional>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::factor_block;

/// Up to this many blocks per multiprocessor, factoring a matrix with a block is faster than with a
/// thread.
constexpr int most_blocks_factoring = 8;

/// Factors matrices and solves with the saved factors. Few matrices are factored by a block each,
/// many by a thread each; right-hand sides of one matrix are solved by a scan if possible, others
/// in shared memory if they fit.
class saved_factors final : public factored_method {
 public:
  saved_factors(const task& t, const device_limits& d)
      : task_(t),
        shared_bytes_(d.shared_bytes),
        concurrent_systems_(concurrent_systems_for(t.geometry.matrices.size, d)),
        concurrent_lines_(concurrent_systems_for(line_count(t), d)),
        plain_(core::with_type(t.type,
                               [&](auto v) {
                                 return thread_per_system_kernels<typename decltype(v)::type>(
                                     t.pivoting, t.boundary);
                               })),
        factor_values_bytes_(solver::round_up(plain_.factors_bytes(t))) {
    if (t.options.algorithm != algorithm::partition) return;  // a thread a system
    const geometry& g = t.geometry;
    scan_ = factored_scan::make(t, d);
    const bool few = g.rows >= least_rows_a_block &&
                     g.matrices.size <= index_t{most_blocks_factoring} * d.multiprocessors;
    if (scan_ || (t.ragged.empty() && few)) {
      block_factor_ = core::with_type(t.type, [&](auto v) {
        return block_factor_kernels<typename decltype(v)::type>(t.pivoting, t.boundary);
      });
      check(block_factor_->prepare(d.shared_bytes), giving_memory);
    }
    shape_ = plan_substitution(t, d);
    if (shape_) plan_blocks(d);
  }

  std::string description() const override {
    const std::string substituted =
        shape_ ? "right-hand sides on chip, " + std::to_string(shape_->systems) + " a warp"
               : "a thread a system";
    if (!scan_) return substituted;
    return scan_->description() + "; where rows are interchanged or they grow, " + substituted;
  }
  bool scans() const override { return scan_ != nullptr; }
  std::size_t factors_bytes() const override {
    return factor_values_bytes_ + (scan_ ? scan_->table_bytes() : 0);
  }
  std::size_t workspace_bytes() const override { return scan_ ? scan_->workspace_bytes() : 0; }

  cudaError_t factor(const operands& o, const factor_block& to,
                     cudaStream_t stream) const override {
    return factor_with(o, to, scan_ ? scan_->tables_at(tables_of(to)) : table_memory{}, stream);
  }
  cudaError_t substitute(const operands& o, const factor_block& factors, void* workspace,
                         cudaStream_t stream) const override {
    if (!scan_) return substitute_beside(o, factors, {}, stream);
    const table_memory tables = scan_->tables_at(tables_of(factors));
    const scan_instead scan{.sound = tables.sound, .tile_counter = scan_->tile_counter(workspace)};
    const cudaError_t result = substitute_beside(o, factors, scan, stream);
    if (result == cudaSuccess) scan_->solve(o, tables, workspace, stream);
    return result;
  }
  cudaError_t solve(const operands& o, const factor_block& factors, void* workspace,
                    cudaStream_t stream) const override {
    if (!scan_) return factored_method::solve(o, factors, workspace, stream);
    // The scan loads right-hand sides while the matrix is factored.
    table_memory tables = scan_->tables_at(tables_of(factors));
    tables.tile_counter = scan_->tile_counter(workspace);
    const cudaError_t result = factor_with(o, factors, tables, stream);
    if (result != cudaSuccess) return result;
    scan_->solve(o, tables, workspace, stream);
    return substitute_beside(o, factors, {.sound = tables.sound, .comes_first = true}, stream);
  }

 private:
  cudaError_t factor_with(const operands& o, const factor_block& to, const table_memory& tables,
                          cudaStream_t stream) const {
    const geometry& g = task_.geometry;
    if (!block_factor_) return plain_.factor(g, o, to.status, to.data, concurrent_systems_, stream);
    return block_factor_->factor(g, o, to.status, to.data, tables, shared_bytes_, stream);
  }
  cudaError_t substitute_beside(const operands& o, const factor_block& factors,
                                const scan_instead& scan, cudaStream_t stream) const {
    const geometry& g = task_.geometry;
    return shape_ ? on_chip_.substitute(g, o, factors.status, factors.data, scan, *shape_, blocks_,
                                        stream)
                  : plain_.substitute(g, o, factors.status, factors.data, scan, concurrent_lines_,
                                      stream);
  }
  void plan_blocks(const device_limits& d) {
    on_chip_ = core::with_type(task_.type, [&](auto v) {
      return substitute_kernels<typename decltype(v)::type>(task_.pivoting, task_.boundary);
    });
    int resident = 0;
    check(on_chip_.prepare(*shape_, d.shared_bytes, &resident), giving_memory);
    const index_t of_block = index_t{shape_->warps} * shape_->systems;
    blocks_ = std::min((line_count(task_) + of_block - 1) / of_block,
                       index_t{d.multiprocessors} * std::max(resident, 1));
  }

  /// Returns the tables, which lie after the values, whose bytes have room for alignment.
  [[nodiscard]] std::byte* tables_of(const factor_block& factors) const {
    return reinterpret_cast<std::byte*>(factors.status) + factor_values_bytes_ - solver::alignment;
  }

  const task& task_;
  std::size_t shared_bytes_;
  index_t concurrent_systems_, concurrent_lines_;
  thread_per_system_launches plain_;
  std::size_t factor_values_bytes_;  // of statuses and words
  std::unique_ptr<const factored_scan> scan_;
  std::optional<block_factor_launches> block_factor_;
  substitute_launches on_chip_{};
  std::optional<substitute_shape> shape_;
  index_t blocks_ = 0;
};

}  // namespace

std::unique_ptr<const factored_method> choose_factored_method(const task& t,
                                                              const device_limits& d) {
  if (!solver::saves_factors(t.options.algorithm)) return {};
  auto factors = std::make_unique<saved_factors>(t, d);
  if (!factors->scans()) {
    if (auto matrices = make_saved_matrices(t, d)) return matrices;
  }
  return factors;
}

}  // namespace tridia::cuda
