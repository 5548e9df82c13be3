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

/// Does the forward reduction.
template <class Op, class Rows, class Team>
TRIDIA_FN void reduce_forward(int n, int stages, Rows& rows, const Op& op, const Team& team) {
  for (int d = 1; d < 1 << stages; d *= 2) {
    for (int k = 2 * d * (team.rank() + 1) - 1; k < n; k += 2 * d * team.size()) {
      const bool right = Op::looks_right && k + d < n;
      rows.put(k, operation_at(op, 2 * d, k)
                      .combine(rows.get(k - d), rows.get(k), right, rows.get(right ? k + d : k)));
    }
    team.wait();
  }
}

/// Does the backward substitution, after the rows that are left are solved.
template <class Op, class Rows, class Team>
TRIDIA_FN void substitute_back(int n, int stages, Rows& rows, const Op& op, const Team& team) {
  for (int d = (1 << stages) / 2; d > 0; d /= 2) {
    for (int k = d * (2 * team.rank() + 1) - 1; k < n; k += 2 * d * team.size()) {
      rows.solve(k, operation_at(op, d, k).expand(rows.get(k),
                                                  k >= d ? rows.solution(k - d) : op.outside(),
                                                  k + d < n ? rows.solution(k + d) : op.outside()));
    }
    team.wait();
  }
}

/// Does the forward reduction of `Depth` neighbouring rows, a power of two, of one thread: only the
/// last is left. In every stage the last row alone needs a row of another thread: `next(r)` gives a
/// row to the thread before and returns that of the thread after.
template <int Depth, class Op, class Next>
TRIDIA_FN void reduce_forward_packed(typename Op::element (&r)[Depth], const Op& op, Next next) {
  TRIDIA_UNROLL
  for (int d = 1; d < Depth; d *= 2) {
    typename Op::element beyond = op.nothing();
    if constexpr (Op::looks_right) beyond = next(r[d - 1]);
    TRIDIA_UNROLL
    for (int k = 2 * d - 1; k < Depth; k += 2 * d) {
      r[k] = op.combine(r[k - d], r[k], Op::looks_right, k + d < Depth ? r[k + d] : beyond);
    }
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
template <int Depth, class Op, class Rows, class Team>
TRIDIA_FN void reduce_packed(int threads, typename Op::element (&r)[Depth],
                             typename Op::solution (&x)[Depth], Rows rows, Rows spare, const Op& op,
                             const Team& team) {
  const int rank = team.rank();
  const auto show = [&](const typename Op::element& e) {
    if (rank < threads) rows.put(rank, e);
    team.wait();
  };
  reduce_forward_packed(r, op, [&](const typename Op::element& first) {
    show(first);
    const typename Op::element beyond = rank + 1 < threads ? rows.get(rank + 1) : op.nothing();
    const Rows used = rows;
    rows = spare, spare = used;
    return beyond;
  });
  show(r[Depth - 1]);
  const int stages = stages_to(threads, 1);
  reduce_forward(threads, stages, rows, op, team);
  substitute_back(threads, stages, rows, op, team);
  if (rank >= threads) return;
  x[Depth - 1] = rows.solution(rank);
  substitute_back_packed(r, rank > 0 ? rows.solution(rank - 1) : op.outside(), x, op);
}

}  // namespace tridia::core
