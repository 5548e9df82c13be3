// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/forward_reduction.hpp"
#include "core/value.hpp"
#include "tridia/types.hpp"

// This is cyclic reduction of a matrix that is known beforehand, so that only right-hand sides are
// reduced (core/forward_reduction.hpp): NEATO, A. T. Srinath, Clemson University, 2015, equations
// 2.2-2.6. The rows that are left after a stage are a level. Those of a near-Toeplitz matrix are
// near-Toeplitz again: a level has one row for all its interior, and a few of its own at both ends.
namespace tridia::core {

/// Holds the factors of a row in a level.
template <class V>
struct reduction_factors {
  V from_left, from_right;   // forward: factors of the neighbours in the level before
  V inverse, before, after;  // backward: x = inverse rhs - before x_left - after x_right
};

/// Locates the factors of a level: those of the first `head` of its rows, of all its interior, of
/// the last `tail`.
struct reduction_level {
  index_t rows, first, head, tail;

  template <class Index>
  TRIDIA_FN Index place(Index row) const {
    const auto own = static_cast<Index>(head), of_tail = static_cast<Index>(row - (rows - tail));
    return static_cast<Index>(first) + (row < own ? row : of_tail < 0 ? own : own + 1 + of_tail);
  }
};

/// Returns the level whose rows are d = 2^level apart.
TRIDIA_FN int level_of(int d) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(d);
#else
  return __builtin_ctz(static_cast<unsigned>(d));
#endif
}

/// Defines the operation of a forward reduction; rows are 2^i apart in levels[i].
template <class V>
struct near_toeplitz_reduction {
  using element = V;
  using solution = V;
  static constexpr bool looks_right = true;

  const reduction_level* levels;
  const reduction_factors<V>* factors;

  /// Defines the operation of one row.
  struct of_row {
    const reduction_factors<V>& f;
    TRIDIA_FN V combine(const V& left, const V& here, bool, const V& right) const {
      return sub_mul(sub_mul(here, f.from_left, left), f.from_right, right);
    }
    TRIDIA_FN V expand(const V& here, const V& left, const V& right) const {
      return sub_mul(sub_mul(f.inverse * here, f.before, left), f.after, right);
    }
  };
  template <class Index>
  TRIDIA_FN of_row row(int level, Index k) const {
    return {factors[levels[level].place(k)]};
  }
  TRIDIA_FN of_row at(int d, int k) const {
    const int level = level_of(d);
    return row(level, k >> level);
  }
  TRIDIA_FN V outside() const { return V(0); }

  /// Returns the operation for the system that the first stage leaves.
  TRIDIA_FN near_toeplitz_reduction next() const { return {levels + 1, factors}; }
};

/// Returns row k of the next level, from n rows of this level; `get(row)` returns those.
template <class V, class Index, class Get>
TRIDIA_FN V reduce_row(const near_toeplitz_reduction<V>& op, int level, Index n, Index k, Get get) {
  const Index here = 2 * k + 1;
  const bool right = here + 1 < n;
  return op.row(level + 1, k)
      .combine(get(here - 1), get(here), right, get(right ? here + 1 : here));
}

/// Returns x of row 2 k of a level of n rows, whose right-hand side is `here`; `x(row)` returns x
/// of its neighbours.
template <class V, class Index, class X>
TRIDIA_FN V expand_row(const near_toeplitz_reduction<V>& op, int level, Index n, Index k,
                       const V& here, X x) {
  const Index row = 2 * k;
  return op.row(level, row)
      .expand(here, row > 0 ? x(row - 1) : op.outside(), row + 1 < n ? x(row + 1) : op.outside());
}

/// Computes x of n rows. Every second row is stored in `rows`, n / 2 of them, as in the thesis's
/// shared memory: `rhs(k)` is read in the first stage, which begins with all rows, and once more
/// for every second row in the last stage, when `put(k, x)` may have replaced the others.
template <class V, class Rhs, class Rows, class Put, class Team>
TRIDIA_FN void solve_near_toeplitz(int n, const near_toeplitz_reduction<V>& op, Rhs rhs, Rows rows,
                                   Put put, const Team& team) {
  const int half = n / 2, stages = half > 0 ? stages_to(half, 1) : 0;
  for (int k = team.rank(); k < half; k += team.size()) rows.put(k, reduce_row(op, 0, n, k, rhs));
  team.wait();
  const near_toeplitz_reduction<V> rest = op.next();
  reduce_forward(half, stages, rows, rest, team);
  if (half > 0 && team.rank() == 0) {
    const int last = (1 << stages) - 1;
    rows.solve(last, rest.at(1 << stages, last).expand(rows.get(last), V(0), V(0)));
  }
  team.wait();
  substitute_back(half, stages, rows, rest, team);
  for (int k = team.rank(); 2 * k < n; k += team.size()) {
    const auto x = [&](int row) { return rows.solution(row / 2); };
    put(2 * k, expand_row(op, 0, n, k, rhs(2 * k), x));
    if (2 * k + 1 < n) put(2 * k + 1, x(2 * k + 1));
  }
}

}  // namespace tridia::core
