// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/line.hpp"
#include "layout/geometry.hpp"
#include "solver/line_status.hpp"
#include "solver/status.hpp"

// One system at a time, a scalar at a time, wherever its rows lie: what a thread of the plain CUDA
// kernels does, and the reference backend in a loop.
namespace tridia::solver {

using layout::geometry;

/// Arrays of an execution with their element type.
template <class T>
struct typed_operands {
  const T* in[4];
  T* x;
  index_t* status;
};

/// Rows of the matrix of one line.
template <class V>
struct strided_matrix {
  const geometry& g;
  index_t n;
  const V* array[3];  // off-diagonals without entries may be null
  index_t start[3];

  TRIDIA_FN strided_matrix(const geometry& geo, index_t rows, const V* const (&in)[4],
                           const index_t (&at)[layout::array_count])
      : g(geo), n(rows) {
    for (const int a : {layout::sub, layout::diag, layout::sup}) {
      array[a] = in[a];
      start[a] = at[a] + g.lines[a].origin;
    }
  }

  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V entry(layout::array a, index_t k) const {
    return array[a][start[a] + k * g.lines[a].step];
  }
  TRIDIA_FN core::row<V> get(index_t k) const {
    const bool corners = g.corners != layout::edge::absent;
    core::row<V> r{V(0), entry(layout::diag, k), V(0)};
    if (k > 0 || corners) r.sub = entry(layout::sub, k > 0 ? k : g.sub_corner(n));
    if (k < n - 1 || corners) r.sup = entry(layout::sup, k < n - 1 ? k : g.sup_corner(n));
    if (g.conjugate) r = {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    return corners && n < 3 ? core::folded(r, k, n) : r;
  }
};

/// A right-hand side; remembers the first row that is not finite, as x may overwrite it.
template <class V>
struct strided_rhs {
  const V* base;
  index_t step;
  index_t first_bad = 0;  // counted from 1

  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t k) {
    const V r = base[k * step];
    if (!core::is_finite(r) && (first_bad == 0 || k + 1 < first_bad)) first_bad = k + 1;
    return r;
  }
};

template <class V>
struct strided_solution {
  V* base;
  index_t step;
  TRIDIA_FN void open(index_t) {}
  TRIDIA_FN void flush(index_t, index_t) {}
  TRIDIA_FN void put(index_t k, V v) { base[k * step] = v; }
};

/// Words that are kept of each row: word w of row k at base[k * row_step + w * word_step].
template <class V>
struct words {
  V* base;
  index_t row_step, word_step;

  template <int Count, class Part>
  TRIDIA_FN void put(index_t k, int first, const Part& part) {
    V w[Count];
    part.put(w);
    for (int i = 0; i < Count; ++i) base[k * row_step + (first + i) * word_step] = w[i];
  }
  template <int Count, class Part>
  TRIDIA_FN void get(index_t k, int first, Part& part) const {
    V w[Count];
    for (int i = 0; i < Count; ++i) w[i] = base[k * row_step + (first + i) * word_step];
    part.get(w);
  }
};

/// What a fused solve keeps: row k of U, and y.
template <class V, class E>
struct kept_rows {
  words<V> at;
  TRIDIA_FN void put(index_t k, const typename E::upper& u, V y) {
    at.template put<E::upper_words>(k, 1, u);
    at.base[k * at.row_step] = y;
  }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    at.template get<E::upper_words>(k, 1, u);
    return at.base[k * at.row_step];
  }
};

/// What factoring once keeps: row k of L and of U.
template <class V, class E>
struct factor_rows {
  words<V> at;
  TRIDIA_FN void put(index_t k, const typename E::lower& l, const typename E::upper& u) {
    at.template put<E::lower_words>(k, 0, l);
    at.template put<E::upper_words>(k, E::lower_words, u);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const {
    at.template get<E::lower_words>(k, 0, l);
  }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    at.template get<E::upper_words>(k, E::lower_words, u);
  }
};

/// Substitution keeps y where x will be.
template <class V, class E>
struct kept_in_place {
  const factor_rows<V, E>& factors;
  strided_solution<V>& x;
  TRIDIA_FN void put(index_t k, V y) { x.put(k, y); }
  TRIDIA_FN V y(index_t k) const { return x.base[k * x.step]; }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    factors.get_upper(k, u);
    return y(k);
  }
};

/// Words a row of workspace and factors, the same for every length of a ragged batch.
template <class V, pivoting P, boundary B>
struct word_counts {
  using elimination = core::elimination<V, P, B>;
  static constexpr int kept = elimination::upper_words + 1;
  static constexpr int factors = elimination::lower_words + elimination::upper_words;
};

/// Calls f(elimination) for a system of n >= 1 rows: a periodic one of fewer than three is solved
/// as a regular one.
template <class V, pivoting P, boundary B, class F>
TRIDIA_FN void with_elimination(index_t n, F f) {
  if constexpr (B == boundary::periodic) {
    if (n < 3) return f(core::elimination<V, P, boundary::regular>{});
  }
  f(core::elimination<V, P, B>{});
}

/// Fills x of a matrix and one of its right-hand sides with NaN, where the solution is not finite:
/// after all else that writes to it. `member` of a `team` of threads fills its share of the rows.
template <class V>
TRIDIA_FN void fill_with_nan(const geometry& g, V* x, index_t matrix, index_t right_side,
                             index_t member = 0, index_t team = 1) {
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  const layout::along& line = g.lines[layout::x];
  fill_line_with_nan(x + at[layout::x] + line.origin, line.step, g.rows_of(matrix), member, team);
}

/// Whether x of a line has been filled: its row 0 is NaN then, and finite if the line was solved.
template <class V>
TRIDIA_FN bool is_filled_with_nan(const geometry& g, const V* x, index_t matrix,
                                  index_t right_side) {
  if (g.rows_of(matrix) == 0) return false;
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  return !core::is_finite(x[at[layout::x] + g.lines[layout::x].origin]);
}

/// The right-hand sides of a system have one status, and fail together: fills x of all those of
/// system `system` of a matrix (from 0 to systems_of_matrix) if that of one has been filled. After
/// all of them are done.
template <class V>
TRIDIA_FN void share_nan(const geometry& g, V* x, index_t matrix, index_t system) {
  const sharing_right_sides all(g, system);
  bool bad = false;
  for (index_t r = 0; r < all.count && !bad; ++r) bad = is_filled_with_nan(g, x, matrix, all.at(r));
  for (index_t r = 0; r < all.count && bad; ++r) fill_with_nan(g, x, matrix, all.at(r));
}

/// Why a system has no finite solution, for its status.
template <class V, pivoting P, boundary B>
TRIDIA_FN index_t diagnose_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                                  index_t right_side = 0) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  strided_matrix<V> a(g, n, o.in, at);
  strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  index_t status = -1;
  with_elimination<V, P, B>(n, [&](auto e) {
    core::diagnose_line<V, decltype(e)>(n, {n, n}, a, b, true, [&](int, index_t s) { status = s; });
  });
  return status;
}

/// Solves one system, and enters its status; x is NaN where that is not 0.
template <class V, pivoting P, boundary B>
TRIDIA_FN void solve_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                            words<V> keep) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  index_t status = 0;
  if (n > 0) {
    strided_matrix<V> a(g, n, o.in, at);
    strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
    strided_solution<V> x{o.x + at[layout::x], g.lines[layout::x].step};
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
  if (status != 0) fill_with_nan(g, o.x, matrix, 0);
  if (o.status) o.status[at[layout::status]] = status;
}

/// Why a matrix has no finite factors.
template <class V, class E, class Matrix>
TRIDIA_FN index_t matrix_status(index_t n, Matrix& a) {
  index_t status = -1;
  core::zero_rhs<V> zero;
  core::diagnose_line<V, E>(n, {n, n}, a, zero, true, [&](int, index_t s) { status = s; });
  return status;
}

/// Factors one matrix; its status goes to `status`.
template <class V, pivoting P, boundary B>
TRIDIA_FN void factor_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                             words<V> factors, index_t& status) {
  const index_t n = g.rows_of(matrix);
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  status = 0;
  if (n == 0) return;
  strided_matrix<V> a(g, n, o.in, at);
  with_elimination<V, P, B>(n, [&](auto e) {
    using E = decltype(e);
    factor_rows<V, E> out{factors};
    if (!core::factor_line<V, E>(n, {n, n}, a, out)) status = matrix_status<V, E>(n, a);
  });
}

/// The status of a right-hand side whose solution is not finite: the first row of it that is not,
/// counted from 1, where there is one (0: none); or else of y, if that is still kept.
template <class V, class Kept>
TRIDIA_FN index_t substitution_status(index_t n, index_t first_bad, bool kept_y, const Kept& kept) {
  if (first_bad > 0) return -first_bad;
  index_t status = -1;
  for (index_t k = n; kept_y && k-- > 0;) {
    if (!core::is_finite(kept.y(k))) status = -(k + 1);
  }
  return status;
}

/// Solves for one right-hand side with factors. A status is only entered where it is not 0: x of
/// this right-hand side is NaN then, and false is returned, as `share_nan` has to see to the other
/// ones of its system.
template <class V, pivoting P, boundary B>
TRIDIA_FN bool substitute_system(const geometry& g, const typed_operands<V>& o, index_t matrix,
                                 index_t right_side, words<V> factors, index_t of_matrix) {
  const index_t n = g.rows_of(matrix);
  if (n == 0) return true;
  index_t at[layout::array_count];
  g.line_offsets(matrix, right_side, at);
  strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  strided_solution<V> x{o.x + at[layout::x], g.lines[layout::x].step};
  index_t status = of_matrix;
  if (of_matrix == 0) {
    with_elimination<V, P, B>(n, [&](auto e) {
      using E = decltype(e);
      factor_rows<V, E> rows{factors};
      kept_in_place<V, E> kept{rows, x};
      core::substitute_line<V, E>(n, {n, n}, rows, b, kept, x, [&](bool failed, bool before) {
        if (failed) status = substitution_status<V>(n, b.first_bad, before, kept);
      });
    });
  }
  if (status == 0) return true;
  // Not by fill_with_nan: what that looks for is here, and a GPU's kernels spare registers.
  fill_line_with_nan(o.x + at[layout::x], g.lines[layout::x].step, n);
  if (o.status) merge_status(o.status + at[layout::status], of_matrix, status);
  return false;
}

}  // namespace tridia::solver
