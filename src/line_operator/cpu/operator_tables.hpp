// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "tridia/types.hpp"

// These tables describe a line operator to kernels.
namespace tridia::line_operator::cpu {

/// Lines of at most so many points and results are multiplied with a dense matrix: recurrences
/// along so few rows mostly wait for their own results.
inline constexpr index_t longest_dense = 8;

/// Holds a stencil in the type of the arrays: the weights of values `first` to `first + count - 1`
/// of a row, relative to it.
template <class R>
struct weights {
  const R* at;
  int first, count;
};

/// Holds a `line_factor_row` (line_factors.hpp) and the scale of its result.
template <class R>
struct row_numbers {
  R below, pivot, next, fill, border, column, scale;
  // Which of them is there at all.
  bool swapped, fills, bordered, columned;
};

/// Holds the stencils of `rows` rows; the first and the last ones have their own.
template <class R>
struct stencil_table {
  weights<R> interior;
  const weights<R>*head, *tail;
  index_t heads, tails, rows;

  TRIDIA_FN const weights<R>& of(index_t i) const {
    const index_t from_tail = i - (rows - tails);
    return i < heads ? head[i] : from_tail < 0 ? interior : tail[from_tail];
  }
};

/// Describes a line operator in the type of the arrays; what it points to belongs to another.
template <class R>
struct tables {
  index_t points, rows;
  bool periodic;
  // An adjoint gathers its results from the solution, by stencils that reach so many rows before
  // and after a result's number. Otherwise the solution is the result, and `results` is `rows`.
  bool gathers;
  index_t results, gather_before, gather_after;
  stencil_table<R> gather;
  // The numbers of row 0 lie in row `first_row` of the buffer, and a chunk of results from row
  // `results_at` on. All other rows of the buffer are counted from `first_row`.
  index_t first_row, results_at;
  // A line's values begin at row `front`; a periodic one's neighbours lie around
  // them, `before` and `after` many.
  index_t front, before, after;
  index_t ahead;  // how far after a row lies the last value that it needs
  // Prescribed right-hand sides, and results that are given, lie beyond all that, from row
  // `prescribed_at` on; the stencil of a row that has one takes it from there.
  index_t prescribed_at, prescribed;
  index_t buffer_rows;
  stencil_table<R> stencils;
  // Eliminations converge: the rows from `same` to `same + repeated` have the numbers of row
  // `same`, and only that one's are kept.
  const row_numbers<R>* numbers;
  index_t same, repeated;
  // Rows from the first to before the second have the interior's stencil, and no interchange. Those
  // of substitution fill nothing, and are not the two after a row that does, which needs them.
  index_t plain_from, plain_to, plain_back_from, plain_back_to;
  index_t eliminated;  // rows that are: all but the last of a periodic line
  R corner, last_scale;
  // Results of short lines come from the whole of scale A^-1 B, `points` numbers for each of them,
  // and from nothing else of these; null: lines are not short.
  const R* dense;

  TRIDIA_FN const row_numbers<R>& number(index_t i) const {
    return numbers[i < same ? i : i < same + repeated ? same : i - repeated];
  }
  /// Returns the scale of row i: of its result, or in an adjoint of its value.
  TRIDIA_FN R scale(index_t i) const { return i < eliminated ? number(i).scale : last_scale; }
  /// Calls f(n, step, from, to) for stretches of rows a to b - 1: the numbers of row `from` are at
  /// n, and those of each next row `step` after.
  template <class F>
  TRIDIA_FN void for_each_stretch(index_t a, index_t b, F f) const {
    const index_t s1 = same, s2 = same + repeated;
    if (a < s1) f(numbers + a, index_t(1), a, b < s1 ? b : s1);
    if (a < s2 && b > s1) f(numbers + s1, index_t(0), a > s1 ? a : s1, b < s2 ? b : s2);
    const index_t c = a > s2 ? a : s2;
    if (b > c) f(numbers + (c - repeated), index_t(1), c, b);
  }
  /// Does the same from the last stretch to the first; n is that of row `to - 1`.
  template <class F>
  TRIDIA_FN void for_each_stretch_back(index_t a, index_t b, F f) const {
    const index_t s1 = same, s2 = same + repeated;
    if (b > s2) f(numbers + (b - 1 - repeated), index_t(1), a > s2 ? a : s2, b);
    if (a < s2 && b > s1) f(numbers + s1, index_t(0), a > s1 ? a : s1, b < s2 ? b : s2);
    const index_t c = b < s1 ? b : s1;
    if (a < c) f(numbers + (c - 1), index_t(1), a, c);
  }
};

}  // namespace tridia::line_operator::cpu
