// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/choice.hpp"
#include "solver/cuda/check.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/substitute.hpp"

#include <algorithm>
#include <optional>

namespace tridia::cuda {
namespace {

/// Blocks for each multiprocessor up to which a block a matrix is quicker than a thread.
constexpr int most_blocks_factoring = 8;

/// Few matrices are factored by a block each, many by a thread; right-hand sides that fit the chip
/// stay there.
class kept_factors final : public factored_method {
 public:
  kept_factors(const task& t, const device_limits& d)
      : task_(t),
        shared_bytes_(d.shared_bytes),
        columns_(columns_for(t.geometry.matrices.size, d)),
        line_columns_(columns_for(line_count(t), d)),
        plain_(launches_for(t, launches_f32, launches_f64, launches_c64, launches_c128)) {
    if (t.options.algorithm != algorithm::chunks) return;  // a thread a system
    const geometry& g = t.geometry;
    if (t.ragged.empty() && g.rows >= least_rows_a_block &&
        g.matrices.size <= index_t{most_blocks_factoring} * d.multiprocessors) {
      block_factor_ =
          launches_for(t, block_factor_f32, block_factor_f64, block_factor_c64, block_factor_c128);
      check(block_factor_->prepare(d.shared_bytes), giving_memory);
    }
    shape_ = plan_substitution(t, {d.shared_bytes, d.multiprocessors});
    if (shape_) plan_blocks(d);
  }

  std::string manner() const override {
    if (!shape_) return "a thread a system";
    return "right-hand sides on chip, " + std::to_string(shape_->systems) + " a warp";
  }
  cudaError_t factor(const operands& o, index_t* status, std::byte* words,
                     cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    return block_factor_ ? block_factor_->factor(g, o, status, words, shared_bytes_, stream)
                         : plain_.factor(g, o, status, words, columns_, stream);
  }
  cudaError_t substitute(const operands& o, const index_t* status, std::byte* words,
                         cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    return shape_ ? on_chip_.substitute(g, o, status, words, *shape_, blocks_, stream)
                  : plain_.substitute(g, o, status, words, line_columns_, stream);
  }

 private:
  void plan_blocks(const device_limits& d) {
    on_chip_ = launches_for(task_, substitute_f32, substitute_f64, substitute_c64, substitute_c128);
    int resident = 0;
    check(on_chip_.prepare(*shape_, d.shared_bytes, &resident), giving_memory);
    const index_t of_block = index_t{shape_->warps} * shape_->systems;
    blocks_ = std::min((line_count(task_) + of_block - 1) / of_block,
                       index_t{d.multiprocessors} * std::max(resident, 1));
  }

  const task& task_;
  std::size_t shared_bytes_;
  index_t columns_, line_columns_;
  launches plain_;
  std::optional<block_factor_launches> block_factor_;
  substitute_launches on_chip_{};
  std::optional<substitute_shape> shape_;
  index_t blocks_ = 0;
};

}  // namespace

std::unique_ptr<const factored_method> choose_factored_method(const task& t,
                                                              const device_limits& d) {
  if (!solver::keeps_factors(t.options.algorithm)) return {};
  return std::make_unique<kept_factors>(t, d);
}

}  // namespace tridia::cuda
