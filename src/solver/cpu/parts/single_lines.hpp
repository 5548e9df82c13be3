// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "layout/row_values.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cpu {

using solver::operands;

/// Eliminates a line by itself, number after number: one of which parts cannot say all.
template <class V, pivoting P>
class single_lines {
 public:
  single_lines(const layout::geometry& lines, boundary b) : lines_(lines), boundary_(b) {}

  /// Returns the number of values in `memory`.
  [[nodiscard]] index_t values() const { return lines_.rows * values_of_row(); }
  void solve(const operands& o, index_t line, std::byte* memory) const {
    auto* const values = reinterpret_cast<V*>(memory);
    with_boundary([&](auto v) {
      solver::solve_system<V, P, decltype(v)::boundary_kind>(lines_, solver::typed<V>(o), line,
                                                             {values, values_of_row(), 1});
    });
  }
  /// Returns why a matrix has no finite factors; 0 if it has.
  index_t status_of_matrix(const operands& o, index_t line) const {
    index_t at[layout::array_count], status = 0;
    lines_.line_offsets(line, 0, at);
    const index_t n = lines_.rows;
    layout::strided_matrix<V> a(lines_, n, solver::typed<V>(o).in, at);
    core::zero_rhs<V> zero;
    with_boundary([&](auto v) {
      using E = core::elimination<V, P, decltype(v)::boundary_kind>;
      core::diagnose_line<V, E>(n, {n, n}, a, zero, true, [&](int, index_t s) { status = s; });
    });
    return status;
  }

 private:
  [[nodiscard]] index_t values_of_row() const {
    return boundary_ == boundary::periodic ? layout::value_counts<V, P, boundary::periodic>::kept
                                           : layout::value_counts<V, P, boundary::regular>::kept;
  }
  template <class F>
  void with_boundary(F f) const {
    core::with_variant(P, boundary_, [&](auto v) {
      if constexpr (decltype(v)::pivots == P) f(v);
    });
  }

  layout::geometry lines_;
  boundary boundary_;
};

}  // namespace tridia::cpu
