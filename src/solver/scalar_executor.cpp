// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/scalar_executor.hpp"

#include "core/dispatch.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/system_memory.hpp"

#include <utility>

namespace tridia::solver {
namespace {

template <class V, pivoting P, boundary B>
class scalar_executor final : public executor {
 public:
  scalar_executor(const task& t, std::unique_ptr<const system_loop> loop)
      : task_(t), loop_(std::move(loop)) {
    if (!task_.ragged.empty()) {
      task_.geometry.ragged = task_.ragged.data();
      task_.geometry.off_diagonal = task_.off_diagonal.data();
    }
    if (!task_.row_starts.empty()) task_.geometry.row_starts = task_.row_starts.data();
    if (t.constant)
      constant_ = line_operator::rounded(line_operator::factor(*t.constant, P), t.type);
  }

  int threads() const override { return loop_->threads(); }
  std::string description() const override { return loop_->description(); }
  std::size_t workspace_bytes() const override {
    return fused() ? alignment + static_cast<std::size_t>(threads() * kept_values()) * sizeof(V)
                   : factors_bytes();
  }
  std::size_t factors_bytes() const override { return factors_bytes_of<V, P, B>(task_); }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void* stream) const override {
    if (task_.constant) return solve(constant_.data(), o, workspace, stream);
    if (!fused()) {
      operands matrix = o;
      matrix.status = nullptr;
      factor(matrix, workspace, nullptr, stream);
      solve(workspace, o, nullptr, stream);
      return;
    }
    const geometry& g = task_.geometry;
    auto* base = reinterpret_cast<V*>(align(workspace));
    for_each_matrix([&](index_t m, int thread) {
      solve_system<V, P, B, any_rows>(g, typed<V>(o), m,
                                      {base + thread * kept_values(), counts::kept, index_t{1}});
    });
  }

  void factor(const operands& o, void* factors, void*, void*) const override {
    const geometry& g = task_.geometry;
    const factor_block block = split_factors(g, factors);
    for_each_matrix([&](index_t m, int) {
      factor_system<V, P, B, any_rows>(g, typed<V>(o), m, factor_values(block, m), block.status[m]);
    });
    spread(block, o.status);
  }

  void solve(const void* factors, const operands& o, void*, void*) const override {
    const geometry& g = task_.geometry;
    const factor_block block = split_factors(g, const_cast<void*>(factors));
    spread(block, o.status);
    for_each_matrix([&](index_t m, int) {
      bool good = true;
      for (index_t r = 0; r < g.right_sides.size; ++r) {
        good &= substitute_system<V, P, B, any_rows>(g, typed<V>(o), m, r, factor_values(block, m),
                                                     block.status[m]);
      }
      for (index_t s = 0; !good && s < layout::systems_of_matrix(g); ++s) {
        share_nan(g, static_cast<V*>(o.x), m, s);
      }
    });
  }

 private:
  using counts = value_counts<V, P, B>;

  template <class F>
  void for_each_matrix(F f) const {
    // A reference: a copy of what f holds would be allocated.
    loop_->for_each(task_.geometry.matrices.size, std::ref(f));
  }
  bool fused() const { return task_.geometry.right_sides.size == 1; }
  /// Returns the number of values that a solve keeps of the longest system.
  index_t kept_values() const { return task_.geometry.rows * counts::kept; }

  row_values<V> factor_values(const factor_block& block, index_t m) const {
    return row_values_of(task_.geometry, reinterpret_cast<V*>(block.data), counts::factors, m, m,
                         task_.geometry.matrices.size);
  }

  void spread(const factor_block& block, index_t* status) const {
    const geometry& g = task_.geometry;
    if (status == nullptr) return;
    for (index_t m = 0; m < g.matrices.size; ++m) {
      for (index_t r = 0; r < g.right_sides.size; ++r) {
        enter_status(g, status, m, r, block.status[m]);
      }
    }
  }

  task task_;
  std::unique_ptr<const system_loop> loop_;
  std::vector<line_operator::memory_line> constant_;  // factors of a constant matrix
};

}  // namespace

std::unique_ptr<const executor> make_scalar_executor(const task& t,
                                                     std::unique_ptr<const system_loop> loop) {
  return core::with_type(t.type, [&](auto type) {
    return core::with_variant(
        t.pivoting, t.boundary, [&](auto v) -> std::unique_ptr<const executor> {
          using value = typename decltype(type)::type;
          return std::make_unique<scalar_executor<value, v.pivots, v.boundary_kind>>(
              t, std::move(loop));
        });
  });
}

}  // namespace tridia::solver
