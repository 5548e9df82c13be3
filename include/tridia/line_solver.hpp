// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/aligned_memory.hpp"
#include "tridia/detail/line_sweeps.hpp"
#include "tridia/simd.hpp"

#include <string>

namespace tridia {

/// Solves a line on a CPU, or `simd<R, W>::size()` lines beside each other, one in each lane, from
/// rows that a function makes: what the solvers of tridia/device do in the threads of a kernel. V
/// is float, double, `simd` of these, or `complex` of any of them. Rows are eliminated one after
/// another, with the interchanges of LAPACK's xGTSV if P is `partial` (of periodic lines among all
/// rows that reach a column). The memory for `max_rows` rows belongs to the solver, which serves
/// one thread at a time.
template <class V, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1>
class line_solver {
  static_assert(Sides >= 1);
  template <boundary Of>
  using sweeps = detail::line_sweeps<V, B, P, Of, Sides>;

 public:
  /// Allocates memory for lines of up to `max_rows` rows: 2 values V a row, 3 with pivoting, 1 or 2
  /// more if periodic, and 1 for every further right-hand side. Throws `error` where there is none,
  /// or where `max_rows` is negative.
  explicit line_solver(int max_rows)
      : max_rows_(detail::checked_rows(max_rows)),
        kept_(static_cast<std::size_t>(max_rows) * sweeps<B>::row_values * sizeof(V)) {}

  /// Solves lines of n rows. `row_of(k)` returns `row<V, Sides>` for k from 0 to n - 1; it is
  /// called once for each row. `take(k, x)` gets x of each row once, the first one first: a V, or
  /// `const V (&)[Sides]`; all rows have been made by then, so x may overwrite what they were made
  /// from. Returns a mask of the lanes that have a finite x (a bool if V is one line); x of the
  /// others is NaN throughout. Throws `error` if n is more than `max_rows`.
  template <class RowOf, class Take>
  core::mask_t<V> solve(int n, RowOf&& row_of, Take&& take) {
    if (n > max_rows_) detail::refuse_rows(n, max_rows_);
    if (n <= 0) return core::mask_t<V>(true);
    if (B == boundary::periodic && n >= 3) return run<B>(n, row_of, take);
    return run<boundary::regular>(n, row_of, take);
  }

 private:
  template <boundary Of, class RowOf, class Take>
  core::mask_t<V> run(int n, RowOf& row_of, Take& take) {
    using line = sweeps<Of>;
    V* const kept = static_cast<V*>(kept_.data());
    line s;
    s.start(n, row_of);
    s.forward(1, line::entering(n), n, row_of, kept, line::row_values);
    s.turn(n, kept, line::row_values);
    s.backward(0, line::leaving(n), kept, line::row_values);
    for (int k = 0; k < n; ++k) s.give(k, take, kept, line::row_values);
    return s.finite();
  }

  int max_rows_;
  detail::aligned_memory kept_;
};

}  // namespace tridia
