// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"

// A forward reduction is the pattern of cyclic reduction and of a prefix sum: in every stage every
// second of the rows that are left is combined with its neighbours, a stride away, and takes their
// place; in the backward substitution, the rows that were left out are found from
// their neighbours. Row k is left after s stages where k + 1 is a multiple of 2^s. (A. Davidson, J.
// Owens, "Register packing for cyclic reduction", 2011, sections 3 and 4.)
//
// An operation has
//
//   element, solution                         types of a row, forward and backward
//   looks_right                               whether combine needs the right neighbour
//   combine(left, here, has_right, right)     the element that takes the place of three
//   expand(here, left, right) -> solution     from the neighbours' solutions
//   outside() -> solution, nothing() -> element      beyond the first and the last row
//
// and, if it is not the same for all rows, `at(d, k)`, which has the first two for row k where rows
// are left d apart; not so among the rows of one thread.
//
// With a radix of 4 (the paper's figure 8) a stage leaves every fourth row and does the work of two
// stages of radix 2: as many rows are left, with the same elements, but threads meet and exchange
// an element half as often. For that an operation, which is the same for all rows, also has
//
//   skip_left(left, here)      here in terms of left's left neighbour; left is in terms of the
//                              neighbours of both
//   skip_right(here, right)    likewise; only where combine needs the right neighbour
//
// Rows are shared by a team of threads: `rows.get(k)`, `rows.put(k, element)`,
// `rows.solve(k, solution)`, `rows.solution(k)`, which of the last row that is left is what `put`
// put there. A team has `rank()`, `size()` and `wait()`, a barrier.
namespace tridia::core {

/// Returns the number of stages after which at most `size` of n >= 1 rows are left.
template <class Index>
TRIDIA_FN int stages_to(Index n, Index size) {
  int stages = 0;
  while ((n >> stages) > size) ++stages;
  return stages;
}

/// Returns the operation for row k where rows are left d apart.
template <class Op>
TRIDIA_FN decltype(auto) operation_at(const Op& op, int d, int k) {
  if constexpr (requires { op.at(d, k); }) {
    return op.at(d, k);
  } else {
    return (op);
  }
}

/// Holds the three rows between two that are left 4 d apart, the middle one in terms of these two.
template <class Op>
struct rows_between {
  typename Op::element first, middle, last;

  /// Reads those after row `before`, of which only the first needs to be one of the n rows.
  template <class Rows>
  TRIDIA_FN rows_between(int n, int d, int before, const Rows& rows, const Op& op) {
    const int k = before + 2 * d;
    const bool right = k + d < n;
    first = rows.get(k - d), middle = rows.get(k < n ? k : k - d);
    last = rows.get(right ? k + d : k - d);
    middle = op.combine(first, middle, Op::looks_right && right, last);
  }
};

/// Does a stage of radix 4 among rows that are left d apart. Only row k of four is written, which
/// no other thread reads: the substitution finds the middle rows once more.
template <class Op, class Rows, class Team>
TRIDIA_FN void reduce_by_four(int n, int d, Rows& rows, const Op& op, const Team& team) {
  for (int k = 4 * d * (team.rank() + 1) - 1; k < n; k += 4 * d * team.size()) {
    const rows_between<Op> below(n, d, k - 4 * d, rows, op);
    const typename Op::element here = rows.get(k);
    typename Op::element right = here;
    const bool has_right = Op::looks_right && k + d < n;
    if constexpr (Op::looks_right) {
      if (has_right) {
        const rows_between<Op> above(n, d, k, rows, op);
        right = k + 2 * d < n ? op.skip_right(above.first, above.middle) : above.first;
      }
    }
    rows.put(k, op.combine(op.skip_left(below.middle, below.last), here, has_right, right));
  }
  team.wait();
}

/// Substitutes in the three rows between those that are left 4 d apart, as far as there are any.
template <class Op, class Rows, class Team>
TRIDIA_FN void substitute_by_four(int n, int d, Rows& rows, const Op& op, const Team& team) {
  for (int first = d * (4 * team.rank() + 1) - 1; first < n; first += 4 * d * team.size()) {
    const int before = first - d, middle = first + d, last = middle + d, after = last + d;
    const rows_between<Op> r(n, d, before, rows, op);
    const typename Op::solution left = before >= 0 ? rows.solution(before) : op.outside();
    const typename Op::solution right = after < n ? rows.solution(after) : op.outside();
    const typename Op::solution x = middle < n ? op.expand(r.middle, left, right) : op.outside();
    rows.solve(first, op.expand(r.first, left, x));
    if (middle < n) rows.solve(middle, x);
    if (last < n) rows.solve(last, op.expand(r.last, x, right));
  }
  team.wait();
}

/// Does the forward reduction.
template <int Radix = 2, class Op, class Rows, class Team>
TRIDIA_FN void reduce_forward(int n, int stages, Rows& rows, const Op& op, const Team& team) {
  int d = 1;
  if constexpr (Radix == 4) {
    for (; 4 * d <= 1 << stages; d *= 4) reduce_by_four(n, d, rows, op, team);
  }
  for (; d < 1 << stages; d *= 2) {
    for (int k = 2 * d * (team.rank() + 1) - 1; k < n; k += 2 * d * team.size()) {
      const bool right = Op::looks_right && k + d < n;
      rows.put(k, operation_at(op, 2 * d, k)
                      .combine(rows.get(k - d), rows.get(k), right, rows.get(right ? k + d : k)));
    }
    team.wait();
  }
}

/// Does the backward substitution, after the rows that are left are solved.
template <int Radix = 2, class Op, class Rows, class Team>
TRIDIA_FN void substitute_back(int n, int stages, Rows& rows, const Op& op, const Team& team) {
  const int by_four = Radix == 4 ? stages / 2 : 0;
  for (int d = (1 << stages) / 2; d >= 1 << (2 * by_four); d /= 2) {
    for (int k = d * (2 * team.rank() + 1) - 1; k < n; k += 2 * d * team.size()) {
      rows.solve(k, operation_at(op, d, k).expand(rows.get(k),
                                                  k >= d ? rows.solution(k - d) : op.outside(),
                                                  k + d < n ? rows.solution(k + d) : op.outside()));
    }
    team.wait();
  }
  if constexpr (Radix == 4) {
    for (int d = 1 << (2 * by_four); d > 1; d /= 4) substitute_by_four(n, d / 4, rows, op, team);
  }
}

/// Does the forward reduction of `Depth` neighbouring rows of one thread, a power of two, which are
/// left D apart: only the last is left. In every stage the last row alone needs a row of another
/// thread: `next(r)` gives a row to the thread before and returns that of the thread after.
template <int Radix = 2, int D = 1, int Depth, class Op, class Next>
TRIDIA_FN void reduce_forward_packed(typename Op::element (&r)[Depth], const Op& op,
                                     const Next& next) {
  constexpr int step = Radix == 4 && 4 * D <= Depth ? 4 * D : 2 * D;
  if constexpr (D < Depth) {
    if constexpr (step == 4 * D) {
      TRIDIA_UNROLL
      for (int k = 2 * D - 1; k < Depth; k += step) {
        r[k] = op.combine(r[k - D], r[k], Op::looks_right, r[k + D]);
      }
    }
    // The row to the right, in terms of rows that are left.
    const auto right_of = [&](int k) -> decltype(auto) {
      if constexpr (step == 4 * D && Op::looks_right) {
        return op.skip_right(r[k + D], r[k + 2 * D]);
      } else {
        return (r[k + D]);
      }
    };
    typename Op::element beyond = op.nothing();
    if constexpr (Op::looks_right) beyond = next(right_of(-1));
    TRIDIA_UNROLL
    for (int k = step - 1; k < Depth; k += step) {
      typename Op::element left = r[k - D];
      if constexpr (step == 4 * D) left = op.skip_left(r[k - 2 * D], left);
      r[k] = op.combine(left, r[k], Op::looks_right, k + D < Depth ? right_of(k) : beyond);
    }
    reduce_forward_packed<Radix, step>(r, op, next);
  }
}

/// Does the backward substitution of these rows. It needs only x of the last row, and `before`, x
/// of the row before the first.
template <int Depth, class Op>
TRIDIA_FN void substitute_back_packed(const typename Op::element (&r)[Depth],
                                      const typename Op::solution& before,
                                      typename Op::solution (&x)[Depth], const Op& op) {
  TRIDIA_UNROLL
  for (int d = Depth / 2; d > 0; d /= 2) {
    TRIDIA_UNROLL
    for (int k = d - 1; k < Depth; k += 2 * d) {
      x[k] = op.expand(r[k], k >= d ? x[k - d] : before, x[k + d]);
    }
  }
}

/// Does the forward reduction and the backward substitution of `Depth` rows of each of the first
/// `threads` threads of a team. Two sets of shared rows, one row per thread, are used alternately,
/// so that there is one barrier per stage.
template <int Depth, int Radix = 2, class Op, class Rows, class Team>
TRIDIA_FN void reduce_packed(int threads, typename Op::element (&r)[Depth],
                             typename Op::solution (&x)[Depth], Rows rows, Rows spare, const Op& op,
                             const Team& team) {
  const int rank = team.rank();
  const auto show = [&](const typename Op::element& e) {
    if (rank < threads) rows.put(rank, e);
    team.wait();
  };
  reduce_forward_packed<Radix>(r, op, [&](const typename Op::element& first) {
    show(first);
    const typename Op::element beyond = rank + 1 < threads ? rows.get(rank + 1) : op.nothing();
    const Rows used = rows;
    rows = spare, spare = used;
    return beyond;
  });
  show(r[Depth - 1]);
  const int stages = stages_to(threads, 1);
  reduce_forward<Radix>(threads, stages, rows, op, team);
  substitute_back<Radix>(threads, stages, rows, op, team);
  if (rank >= threads) return;
  x[Depth - 1] = rows.solution(rank);
  substitute_back_packed(r, rank > 0 ? rows.solution(rank - 1) : op.outside(), x, op);
}

}  // namespace tridia::core
