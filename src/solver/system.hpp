// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/line.hpp"
#include "layout/geometry.hpp"
#include "layout/line_status.hpp"
#include "layout/row_values.hpp"
#include "layout/strided_lines.hpp"

// These functions solve one system at a time, a scalar at a time, wherever its rows lie: those of a
// packed batch where `Rows` is any_rows. A thread
// of the plain CUDA kernels calls them, and the reference backend calls them in a loop.
namespace tridia::solver {

using layout::any_rows;
using layout::even_rows;
using layout::factor_rows;
using layout::geometry;
using layout::kept_in_place;
using layout::kept_rows;
using layout::matrix_status;
using layout::row_values;
using layout::strided_matrix;
using layout::strided_rhs;
using layout::strided_solution;
using layout::value_counts;
using layout::with_elimination;

/// Holds the arrays of an execution with their element type.
template <class T>
struct typed_operands {
  const T* in[4];
  T* x;
  index_t* status;
};

/// Fills x of a matrix and one of its right-hand sides with NaN, where the solution is not finite:
/// after all else that writes to it. `member` of a `team` of threads fills its share of the rows.
template <class V, class Rows = any_rows>
TRIDIA_FN void fill_with_nan(const geometry& g, V* x, index_t matrix, index_t right_side,
                             index_t member = 0, index_t team = 1) {
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  layout::fill_rows_with_nan(x + at[layout::x] + g.lines[layout::x].origin, any_rows(g, layout::x),
                             g.rows_of(matrix), member, team);
}

/// Fills x of all right-hand sides of a system with NaN.
template <class V>
TRIDIA_FN void fill_with_nan(const geometry& g, V* x, index_t matrix,
                             const layout::sharing_right_sides& of_system) {
  for (index_t r = 0; r < of_system.count; ++r) fill_with_nan(g, x, matrix, of_system.at(r));
}

/// Fills x of all right-hand sides of a system with NaN if that of one has been filled: they have
/// one status, and fail together. To be called after all of them are done.
template <class V>
TRIDIA_FN void share_nan(const geometry& g, V* x, index_t matrix,
                         const layout::sharing_right_sides& of_system) {
  if (g.rows_of(matrix) == 0) return;
  index_t at[layout::array_count];
  g.line_offsets(matrix, of_system.at(0), at);
  // Row 0 is NaN where x was filled, and finite where it was solved. All are asked, so that they
  // are read at the same time.
  const V* const row = x + at[layout::x] + g.lines[layout::x].origin;
  bool bad = false;
  for (index_t r = 0; r < of_system.count; ++r) bad |= !core::is_finite(row[r * of_system.x_step]);
  if (bad) fill_with_nan(g, x, matrix, of_system);
}
/// Does so for system `system` of a matrix (from 0 to systems_of_matrix).
template <class V>
TRIDIA_FN void share_nan(const geometry& g, V* x, index_t matrix, index_t system) {
  share_nan(g, x, matrix, layout::sharing_right_sides(g, system));
}

/// Returns why a system has no finite solution, for its status.
template <class V, pivoting P, boundary B, class Rows = even_rows>
TRIDIA_FN index_t diagnose_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                                  index_t right_side = 0) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  strided_matrix<V, Rows> a(g, n, o.in, at);
  strided_rhs<V, Rows> b{o.in[layout::rhs] + at[layout::rhs], {g, layout::rhs}};
  index_t status = -1;
  with_elimination<V, P, B>(n, [&](auto e) {
    core::diagnose_line<V, decltype(e)>(n, {n, n}, a, b, true, [&](int, index_t s) { status = s; });
  });
  return status;
}

/// Solves one system, and enters its status; x is NaN where that is not 0.
template <class V, pivoting P, boundary B, class Rows = even_rows>
TRIDIA_FN void solve_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                            row_values<V> keep) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  index_t status = 0;
  if (n > 0) {
    strided_matrix<V, Rows> a(g, n, o.in, at);
    strided_rhs<V, Rows> b{o.in[layout::rhs] + at[layout::rhs], {g, layout::rhs}};
    strided_solution<V, Rows> x{o.x + at[layout::x], {g, layout::x}};
    with_elimination<V, P, B>(n, [&](auto e) {
      using E = decltype(e);
      kept_rows<V, E> kept{keep};
      core::solve_line<V, E>(n, {n, n}, a, b, kept, x, [&](bool failed, bool before) {
        if (!failed) return;
        status = -1;
        core::zero_rhs<V> zero;
        const auto found = [&](int, index_t s) { status = s; };
        if (before) {
          core::diagnose_line<V, E>(n, {n, n}, a, b, true, found);
        } else {
          core::diagnose_line<V, E>(n, {n, n}, a, zero, true, found);
        }
      });
    });
  }
  if (status != 0) fill_with_nan<V, Rows>(g, o.x, matrix, 0);
  if (o.status) o.status[at[layout::status]] = status;
}

/// Factors one matrix; its status goes to `status`.
template <class V, pivoting P, boundary B, class Rows = even_rows>
TRIDIA_FN void factor_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                             row_values<V> factors, index_t& status) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  status = 0;
  if (n == 0) return;
  strided_matrix<V, Rows> a(g, n, o.in, at);
  with_elimination<V, P, B>(n, [&](auto e) {
    using E = decltype(e);
    factor_rows<V, E> out{factors};
    if (!core::factor_line<V, E>(n, {n, n}, a, out)) status = matrix_status<V, E>(n, a);
  });
}

/// Returns the status of a right-hand side whose solution is not finite: the first row of it that
/// is not, counted from 1, where there is one (0: none); or else of y, if that is still kept.
template <class V, class Kept>
TRIDIA_FN index_t substitution_status(index_t n, index_t first_nonfinite, bool kept_y,
                                      const Kept& kept) {
  if (first_nonfinite > 0) return -first_nonfinite;
  index_t status = -1;
  for (index_t k = n; kept_y && k-- > 0;) {
    if (!core::is_finite(kept.y(k))) status = -(k + 1);
  }
  return status;
}

/// Solves for one right-hand side with factors. A status is only entered where it is not 0: x of
/// this right-hand side is NaN then, and false is returned, as `share_nan` has to see to the other
/// ones of its system.
template <class V, pivoting P, boundary B, class Rows = even_rows>
TRIDIA_FN bool substitute_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                                 index_t right_side, row_values<V> factors, index_t of_matrix) {
  const index_t n = g.rows_of(matrix);
  if (n == 0) return true;
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  strided_rhs<V, Rows> b{o.in[layout::rhs] + at[layout::rhs], {g, layout::rhs}};
  strided_solution<V, Rows> x{o.x + at[layout::x], {g, layout::x}};
  index_t status = of_matrix;
  if (of_matrix == 0) {
    with_elimination<V, P, B>(n, [&](auto e) {
      using E = decltype(e);
      factor_rows<V, E> rows{factors};
      kept_in_place<V, E, Rows> kept{rows, x};
      core::substitute_line<V, E>(n, {n, n}, rows, b, kept, x, [&](bool failed, bool before) {
        if (failed) status = substitution_status<V>(n, b.first_nonfinite, before, kept);
      });
    });
  }
  if (status == 0) return true;
  // This does not call fill_with_nan: what that looks up is known here, and a GPU's kernels save
  // registers.
  layout::fill_rows_with_nan(o.x + at[layout::x], Rows(g, layout::x), n);
  if (o.status) layout::merge_status(o.status + at[layout::status], of_matrix, status);
  return false;
}

}  // namespace tridia::solver
