// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/executor.hpp"
#include "solver/reference/named/makers.hpp"
#include "solver/system_memory.hpp"

// The reference backend solves one system after another, a scalar at a time. The other backends are
// tested against it.
namespace tridia::solver {
namespace {

template <class V, pivoting P, boundary B>
class reference final : public executor {
 public:
  explicit reference(const task& t) : task_(t) {
    if (!task_.ragged.empty()) {
      task_.geometry.ragged = task_.ragged.data();
      task_.geometry.off_diagonal = task_.off_diagonal.data();
    }
    if (t.constant)
      constant_ = line_operator::rounded(line_operator::factor(*t.constant, P), t.type);
  }

  std::size_t workspace_bytes() const override {
    return fused() ? kept_bytes_of<V, P, B>(task_, 1) : factors_bytes();
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
    for (index_t m = 0; m < g.matrices.size; ++m) {
      solve_system<V, P, B>(g, typed<V>(o), m, row_values_of(g, base, counts::kept, m, 0, 1));
    }
  }

  void factor(const operands& o, void* factors, void*, void*) const override {
    const geometry& g = task_.geometry;
    const factor_block block = split_factors(g, factors);
    for (index_t m = 0; m < g.matrices.size; ++m) {
      factor_system<V, P, B>(g, typed<V>(o), m, factor_values(block, m), block.status[m]);
    }
    spread(block, o.status);
  }

  void solve(const void* factors, const operands& o, void*, void*) const override {
    const geometry& g = task_.geometry;
    const factor_block block = split_factors(g, const_cast<void*>(factors));
    spread(block, o.status);
    for (index_t m = 0; m < g.matrices.size; ++m) {
      bool good = true;
      for (index_t r = 0; r < g.right_sides.size; ++r) {
        good &= substitute_system<V, P, B>(g, typed<V>(o), m, r, factor_values(block, m),
                                           block.status[m]);
      }
      for (index_t s = 0; !good && s < layout::systems_of_matrix(g); ++s) {
        share_nan(g, static_cast<V*>(o.x), m, s);
      }
    }
  }

 private:
  using counts = value_counts<V, P, B>;

  bool fused() const { return task_.geometry.right_sides.size == 1; }

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
  std::vector<line_operator::memory_line> constant_;  // factors of a constant matrix
};

}  // namespace

std::unique_ptr<const executor> make_reference(const task& t) {
  if (auto of_paper = named::make_named(t)) return of_paper;
  return core::with_type(t.type, [&](auto type) {
    return core::with_variant(
        t.pivoting, t.boundary, [&](auto v) -> std::unique_ptr<const executor> {
          return std::make_unique<
              reference<typename decltype(type)::type, v.pivots, v.boundary_kind>>(t);
        });
  });
}

}  // namespace tridia::solver
