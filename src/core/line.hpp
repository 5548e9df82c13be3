// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/elimination_periodic.hpp"

// These functions solve, factor, substitute and diagnose one line (one system, or a vector of
// systems in lockstep). The parts come as arguments, so that the same loops run on a thread of a
// GPU and on the tiles of a CPU:
//
//   Matrix     fetch(k0, k1); get(k) -> row<V>
//   Rhs        fetch(k0, k1); get(k) -> V
//   Kept       put(k, upper, y); get(k, upper&) -> y        what a solve remembers of a row
//   Factors    lower(k), upper(k) by put_* and get_*        what factoring once remembers
//   Solution   open(k0); put(k, V); flush(k0, k1)
//
// Rows are fetched before they are read and flushed after they are written, a block at a time: up
// to `block` rows in the forward sweep, up to block + 1 in the backward one. Sweeps can be left
// between blocks, so that several lines can alternate.
namespace tridia::core {

/// Returns the number of rows that enter one after another; the others are carried along from the
/// start.
template <class E>
TRIDIA_FN index_t entering_rows(index_t n) {
  return n + 1 - E::tail;
}

/// Says how rows are cut into blocks: `first` rows, then `size` at a time; first <= size.
struct blocks {
  index_t size, first;

  TRIDIA_FN index_t end(index_t k0, index_t n) const {
    const index_t k1 = k0 == 0 ? first : k0 + size;
    return k1 < n ? k1 : n;
  }
  /// Returns the first row of the block of row k.
  TRIDIA_FN index_t begin_of(index_t k) const {
    return k < first ? 0 : first + (k - first) / size * size;
  }
};

/// Returns where the last block begins: it has all rows that `finish` eliminates.
template <class E>
TRIDIA_FN index_t last_block(index_t n, const blocks& cut) {
  return cut.begin_of(n - E::tail);
}

/// Reads the row that is carried along, if any, then fetches the first block and reads row 0.
template <class E, class Rows, class Start>
TRIDIA_FN void start_rows(index_t n, const blocks& cut, Rows& rows, Start start) {
  auto final = decltype(rows.get(0)){};
  if constexpr (E::tail > 1) {
    rows.fetch(n - 1, n);
    final = rows.get(n - 1);
  }
  rows.fetch(0, cut.end(0, entering_rows<E>(n)));
  start(rows.get(0), final);
}

/// Calls rows(k0, k1) for each block of the rows that enter, fetched.
template <class E, class Fetch, class Rows>
TRIDIA_FN void for_each_block(index_t n, const blocks& cut, Fetch fetch, Rows rows) {
  const index_t entering = entering_rows<E>(n);
  for (index_t k0 = 0, k1; k0 < entering; k0 = k1) {
    k1 = cut.end(k0, entering);
    if (k0 > 0) fetch(k0, k1);
    rows(k0, k1);
  }
}

/// Does the forward sweep of a solve: L^-1 A and L^-1 rhs into `kept`.
template <class V, class E>
struct reduction {
  typename E::factorization f;
  typename E::forward g;
  V y;  // of the last row at the end: not finite if anything was not

  template <class Matrix, class Rhs>
  TRIDIA_FN void start(index_t n, const blocks& cut, Matrix& a, Rhs& b) {
    start_rows<E>(n, cut, a,
                  [&](const auto& first, const auto& final) { f.start(first, final, n); });
    start_rows<E>(n, cut, b, [&](const auto& first, const auto& final) { g.start(first, final); });
  }
  /// Eliminates rows k0 to k1 - 1, which have been fetched.
  template <class Matrix, class Rhs, class Kept>
  TRIDIA_FN void rows(index_t k0, index_t k1, index_t n, Matrix& a, Rhs& b, Kept& kept) {
    typename E::lower l;
    typename E::upper u;
    // No pointer refers to these copies, so that they stay in registers.
    auto matrix = f;
    auto side = g;
    for (index_t k = k0 > 0 ? k0 : 1; k < k1; ++k) {
      matrix.step(a.get(k), n - 1 - k, l, u);
      kept.put(k - 1, u, side.step(l, b.get(k)));
    }
    f = matrix;
    g = side;
  }
  template <class Kept>
  TRIDIA_FN void finish(index_t n, Kept& kept) {
    typename E::lower l;
    typename E::upper u;
    for (int c = 0; c < E::tail; ++c) {
      f.finish(c, l, u);
      kept.put(n - E::tail + c, u, y = g.finish(c, l));
    }
  }
};

/// Does the backward sweep: x from `kept`.
template <class V, class E>
struct expansion {
  typename E::backward h{};
  V value;  // of the row that was done last

  /// Solves rows k1 - 1 down to k0, a block; `last` if it is the last one, which comes first.
  template <class Kept, class Solution>
  TRIDIA_FN void rows(index_t k0, index_t k1, bool last, Kept& kept, Solution& x) {
    typename E::upper u;
    index_t k = k1;
    x.open(k0);
    if (last) {
      for (int c = E::tail; c-- > 0;) {
        const V y = kept.get(--k, u);
        x.put(k, value = h.finish(c, u, y));
      }
    }
    auto state = h;
    TRIDIA_UNROLL
    while (k-- > k0) {
      const V y = kept.get(k, u);
      x.put(k, value = state.step(u, y));
    }
    h = state;
    x.flush(k0, k1);
  }
};

template <class V, class E, class Kept, class Solution>
TRIDIA_FN V expand_line(index_t n, const blocks& cut, Kept& kept, Solution& x) {
  expansion<V, E> back;
  const index_t last = last_block<E>(n, cut);
  back.rows(last, n, true, kept, x);
  for (index_t k1 = last, k0; k1 > 0; k1 = k0) {
    k0 = cut.begin_of(k1 - 1);
    back.rows(k0, k1, false, kept, x);
  }
  return back.value;
}

/// Calls expand(), which returns the x that it finds last; `failed` as in solve_line.
template <class V, class Expand, class Failed>
TRIDIA_FN void expand_checked(const V& y, Expand expand, Failed failed) {
  const auto good = is_finite(y);
  if (!all_of(good)) failed(!good, true);
  const auto also_good = is_finite(expand());
  if (!all_of(also_good)) failed(good && !also_good, false);
}

/// Solves A x = rhs. `failed(mask, before)` is called where a solution is not finite: before any of
/// x is written (`before`), so that the inputs are unchanged; or else after it is.
template <class V, class E, class Matrix, class Rhs, class Kept, class Solution, class Failed>
TRIDIA_FN void solve_line(index_t n, const blocks& cut, Matrix& a, Rhs& b, Kept& kept, Solution& x,
                          Failed failed) {
  reduction<V, E> down{};
  const index_t entering = entering_rows<E>(n);
  down.start(n, cut, a, b);
  for (index_t k0 = 0, k1; k0 < entering; k0 = k1) {
    k1 = cut.end(k0, entering);
    if (k0 > 0) a.fetch(k0, k1), b.fetch(k0, k1);
    down.rows(k0, k1, n, a, b, kept);
  }
  down.finish(n, kept);
  expand_checked(
      down.y, [&] { return expand_line<V, E>(n, cut, kept, x); }, failed);
}

/// Passes rows in the order that elimination E needs: start(), step(k) for row k (which eliminates
/// column k - 1), finish(c, column).
template <class E, class Fetch, class Step, class Finish>
TRIDIA_FN void ascend(index_t n, const blocks& cut, Fetch fetch, Step step, Finish finish) {
  for_each_block<E>(n, cut, fetch, [&](index_t k0, index_t k1) {
    for (index_t k = k0 > 0 ? k0 : 1; k < k1; ++k) step(k);
  });
  for (int c = 0; c < E::tail; ++c) finish(c, n - E::tail + c);
}

template <class V>
TRIDIA_FN auto is_finite(const row<V>& r) {
  return is_finite(r.sub) && is_finite(r.diag) && is_finite(r.sup);
}

/// Factors A = L U into `factors`, block by block.
template <class V, class E>
struct factoring {
  typename E::factorization f;
  mask_t<V> good;  // of the systems in which every number so far is finite

  /// Starts with row `first` as if no row were before it.
  TRIDIA_FN void start(const row<V>& first, const row<V>& final, index_t n) {
    f.start(first, final, n);
    good = is_finite(first);
    if (E::tail > 1) good = good && is_finite(final);
  }
  /// Factors rows k0 to k1 - 1, which have been fetched.
  template <class Matrix, class Factors>
  TRIDIA_FN void rows(index_t k0, index_t k1, index_t n, Matrix& a, Factors& factors) {
    typename E::lower l;
    typename E::upper u;
    auto matrix = f;
    auto fine = good;
    for (index_t k = k0 > 0 ? k0 : 1; k < k1; ++k) {
      const auto r = a.get(k);
      matrix.step(r, n - 1 - k, l, u);
      fine = fine && is_finite(r) && is_finite(l.w) && is_finite(u.next);
      factors.put(k - 1, l, u);
    }
    f = matrix;
    good = fine;
  }
  template <class Factors>
  TRIDIA_FN void finish(index_t n, Factors& factors) {
    typename E::lower l;
    typename E::upper u;
    for (int c = 0; c < E::tail; ++c) {
      f.finish(c, l, u);
      good = good && is_finite(l.w);
      factors.put(n - E::tail + c, l, u);
    }
  }
};

/// Factors A = L U into `factors`; returns a mask of the systems in which every number is finite.
template <class V, class E, class Matrix, class Factors>
TRIDIA_FN auto factor_line(index_t n, const blocks& cut, Matrix& a, Factors& factors) {
  factoring<V, E> down{};
  start_rows<E>(n, cut, a,
                [&](const auto& first, const auto& final) { down.start(first, final, n); });
  for_each_block<E>(
      n, cut, [&](index_t k0, index_t k1) { a.fetch(k0, k1); },
      [&](index_t k0, index_t k1) { down.rows(k0, k1, n, a, factors); });
  down.finish(n, factors);
  return down.good;
}

/// Does the forward sweep of a substitution: L^-1 rhs into `kept`.
template <class V, class E>
struct substitution {
  typename E::forward g;
  V y;  // of the last row at the end: not finite if anything was not

  template <class Rhs>
  TRIDIA_FN void start(index_t n, const blocks& cut, Rhs& b) {
    start_rows<E>(n, cut, b, [&](const auto& first, const auto& final) { g.start(first, final); });
  }
  /// Substitutes in rows k0 to k1 - 1, which have been fetched.
  template <class Factors, class Rhs, class Kept>
  TRIDIA_FN void rows(index_t k0, index_t k1, Factors& factors, Rhs& b, Kept& kept) {
    typename E::lower l;
    auto side = g;
    TRIDIA_UNROLL
    for (index_t k = k0; k < k1; ++k) {
      factors.get_lower(k - 1, l);
      kept.put(k - 1, side.step(l, b.get(k)));
    }
    g = side;
  }
  template <class Factors, class Kept>
  TRIDIA_FN void finish(index_t n, Factors& factors, Kept& kept) {
    typename E::lower l;
    for (int c = 0; c < E::tail; ++c) {
      factors.get_lower(n - E::tail + c, l);
      kept.put(n - E::tail + c, y = g.finish(c, l));
    }
  }
};

/// Solves L U x = rhs; `kept` has one value y per row between the sweeps (it may be x itself where
/// that is memory). `failed` is that of solve_line.
template <class V, class E, class Factors, class Rhs, class Kept, class Solution, class Failed>
TRIDIA_FN void substitute_line(index_t n, const blocks& cut, Factors& factors, Rhs& b, Kept& kept,
                               Solution& x, Failed failed) {
  substitution<V, E> down{};
  down.start(n, cut, b);
  for_each_block<E>(
      n, cut, [&](index_t k0, index_t k1) { b.fetch(k0, k1); },
      [&](index_t k0, index_t k1) { down.rows(k0 > 0 ? k0 : 1, k1, factors, b, kept); });
  down.finish(n, factors, kept);
  expand_checked(
      down.y, [&] { return expand_line<V, E>(n, cut, kept, x); }, failed);
}

/// Reads as a right-hand side of zeros, to diagnose a matrix alone.
template <class V>
struct zero_rhs {
  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t) const { return V(0); }
};

/// Finds out why systems have no finite solution: looks at every number of the input, then
/// eliminates once more, looking at every pivot. Calls found(lane, status) once for each lane of
/// `open` in which it finds a reason, with a status as in `execution::status`.
template <class V, class E, class Matrix, class Rhs, class Found>
TRIDIA_FN void diagnose_line(index_t n, const blocks& cut, Matrix& a, Rhs& b, mask_t<V> open,
                             Found found) {
  using Mask = mask_t<V>;
  typename E::factorization f{};
  typename E::forward g{};
  typename E::lower l{};
  typename E::upper u{};
  const auto mark = [&](Mask where, index_t status) {
    for_each_set(where && open, [&](int lane) { found(lane, status); });
    open = open && !where;
  };
  for (index_t k0 = 0, k1; k0 < n; k0 = k1) {
    k1 = cut.end(k0, n);
    a.fetch(k0, k1), b.fetch(k0, k1);
    for (index_t k = k0; k < k1; ++k) {
      mark(!(is_finite(a.get(k)) && is_finite(b.get(k))), -(k + 1));
    }
  }
  const auto check_column = [&](index_t k, const auto& y) {
    mark(is_zero(f.last_pivot), k + 1);
    mark(!(is_finite(l.w) && is_finite(u.next) && is_finite(y)), -(k + 1));
  };
  start_rows<E>(n, cut, a, [&](const auto& first, const auto& final) { f.start(first, final, n); });
  start_rows<E>(n, cut, b, [&](const auto& first, const auto& final) { g.start(first, final); });
  ascend<E>(
      n, cut, [&](index_t k0, index_t k1) { a.fetch(k0, k1), b.fetch(k0, k1); },
      [&](index_t k) {
        f.step(a.get(k), n - 1 - k, l, u);
        check_column(k - 1, g.step(l, b.get(k)));
      },
      [&](int c, index_t k) {
        f.finish(c, l, u);
        check_column(k, g.finish(c, l));
      });
}

/// Returns row k of a periodic matrix of one or two rows as a row of a regular one: entries that
/// coincide add up.
template <class V>
TRIDIA_FN row<V> folded(const row<V>& r, index_t k, index_t n) {
  if (n == 1) return {V(0), r.sub + r.diag + r.sup, V(0)};
  const V off = r.sub + r.sup;
  return k == 0 ? row<V>{V(0), r.diag, off} : row<V>{off, r.diag, V(0)};
}

}  // namespace tridia::core
