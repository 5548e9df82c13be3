// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/line_batches.hpp"
#include "tridia/detail/line_parts.hpp"
#include "tridia/detail/line_request.hpp"
#include "tridia/inputs.hpp"
#include "tridia/line_grid.hpp"
#include "tridia/math.hpp"

#include <algorithm>
#include <span>

namespace tridia {

/// Holds the options of `solve_lines` on a CPU.
struct lines_options {
  int threads = 0;  ///< As `options::threads`: 0 takes as many as OpenMP would.
  /// The status has one entry for each line, `solved` or `unsolved`. If it is empty, a line without
  /// a solution throws `errc::singular` instead, after all lines have been solved. In both cases
  /// its x is NaN.
  std::span<int> status = {};
};

/// Solves a line along `Axis` through every point of a grid on a CPU, by all cores, as
/// tridia::device::solve_lines does on a GPU: with the same functions. `make_row(p)` returns
/// `row<value_at<T, Point>, Sides>` of a point, or of a point of several lines, and `take(p, x)`
/// gets its x, a V = `value_at<T, Point>` or `const V (&)[Sides]`. Functions that are templates of
/// the point's type get as many lines at once as vectors of the instruction set have lanes for
/// which the caller is compiled; those that take `point<Rank>` alone get lines one by one. Several
/// threads call them at a time.
///
/// T is float, double, or `complex` of these. `make_row` is pure. It is called once for each point,
/// and twice where the line has more than 2048 rows. x is given out once, after all rows of its
/// line have been made; of lines of more than 2048 rows it may overwrite only what its own row is
/// made from. Rows are eliminated one after another, with the interchanges of LAPACK's xGTSV if P
/// is `partial`; those of long lines in parts (H. H. Wang, ACM TOMS 7(2), 1981).
///
/// Lines are numbered along the other axes, the last of them the fastest. A line without a solution
/// does not affect others, and its x is NaN (of more than 2048 rows, x may be finite in parts where
/// others overflow). A thread has memory for some lines, about 1 MB (more for many right-hand sides
/// of lines of near 2048 rows); long lines need memory for some hundredths of their rows.
///
/// Throws `error` for a negative extent, more points than 2^63, a status of another length,
/// negative threads, or memory that runs out, before any call; and what the functions throw, where
/// lines may be half done.
template <class T, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          int Rank, int Axis, class MakeRow, class Take>
void solve_lines(const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take,
                 const lines_options& o = {}) {
  static_assert(Sides >= 1);
  detail::check_extents(g.size);
  detail::check_options(o.threads, o.status, g.lines());
  std::fill(o.status.begin(), o.status.end(), static_cast<int>(solved));
  if (g.lines() == 0 || g.rows() == 0) return;
  const int threads = detail::line_threads(o.threads, g.lines() * g.rows());
  detail::line_statuses statuses(o.status.empty() ? nullptr : o.status.data());
  constexpr int widest =
      detail::takes_lanes<Rank, detail::most_lanes<T>, MakeRow> ? detail::most_lanes<T> : 1;
  const auto solve_by = [&](auto lines) { lines.solve(); };
  if (g.rows() > detail::most_rows_at_once) {
    solve_by(detail::line_parts<T, widest, B, P, Sides, Rank, Axis, MakeRow, Take>(
        g, make_row, take, threads, statuses));
  } else if (B == boundary::periodic && g.rows() < 3) {
    // Nobody is in a hurry here: the code of one lane does.
    solve_by(detail::line_batches<T, 1, B, P, boundary::regular, Sides, Rank, Axis, MakeRow, Take>(
        g, make_row, take, threads, statuses));
  } else {
    solve_by(detail::line_batches<T, widest, B, P, B, Sides, Rank, Axis, MakeRow, Take>(
        g, make_row, take, threads, statuses));
  }
  if (o.status.empty() && statuses.any()) detail::refuse_singular_lines(statuses.first());
}

/// Solves lines whose rows are made from `inputs` (tridia/inputs.hpp), as `solve_lines` above does:
/// `make_row(p, fields...)` gets each of them, and asks it for its values at p or beside p.
template <class T, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          int Rank, int Axis, class MakeRow, class Take, class... Fields>
void solve_lines(const line_grid<Rank, Axis>& g, const line_inputs<Fields...>& in,
                 const MakeRow& make_row, const Take& take, const lines_options& o = {}) {
  using rows = detail::rows_of_inputs<MakeRow, line_inputs<Fields...>>;
  solve_lines<T, B, P, Sides>(g, rows{make_row, in}, take, o);
}

}  // namespace tridia
