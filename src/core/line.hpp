// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/elimination_periodic.hpp"

// What is done with one line (one system, or a vector of systems in lockstep): solve, factor,
// substitute, diagnose. The parts come as arguments, so that the same loops run on a thread of a
// GPU and on the tiles of a CPU:
//
//   Matrix     fetch(k0, k1); get(k) -> row<V>
//   Rhs        fetch(k0, k1); get(k) -> V
//   Kept       put(k, upper, y); get(k, upper&) -> y        what a solve remembers of a row
//   Factors    lower(k), upper(k) by put_* and get_*        what factoring once remembers
//   Solution   put(k, V); flush(k0, k1)
//
// Rows are fetched before they are read and flushed after they are written, `block` rows at a time.
namespace tridia::core {

/// Rows in order as elimination E wants them: the last one first if it is carried along, then
/// start(), step(k) for row k (which eliminates column k - 1), and finish(c, column).
template <class E, class Fetch, class Start, class Step, class Finish>
TRIDIA_FN void ascend(index_t n, index_t block, Fetch fetch, Start start, Step step,
                      Finish finish) {
  const index_t entering = n + 1 - E::tail;
  start(n);
  for (index_t k0 = 0; k0 < entering; k0 += block) {
    const index_t k1 = k0 + block < entering ? k0 + block : entering;
    if (k0 > 0) fetch(k0, k1);
    for (index_t k = k0 > 0 ? k0 : 1; k < k1; ++k) step(k);
  }
  for (int c = 0; c < E::tail; ++c) finish(c, entering - 1 + c);
}

/// The way back: finish for the last columns, then step(k) downwards; block boundaries lie at
/// multiples of `block` plus `phase`.
template <class E, class Flush, class Finish, class Step>
TRIDIA_FN void descend(index_t n, index_t block, index_t phase, Flush flush, Finish finish,
                       Step step) {
  for (int c = E::tail; c-- > 0;) finish(c, n - E::tail + c);
  index_t k = n - E::tail;  // rows k and up are done
  index_t end = n;          // rows end and up are flushed
  for (;;) {
    index_t begin = end - 1 - (end - 1 - phase + block) % block;
    if (begin < 0) begin = 0;
    while (k > begin) step(--k);
    // The tail may reach over a boundary: those rows are there already.
    flush(begin, end);
    if (begin == 0) return;
    end = begin;
  }
}

/// First row, first right-hand side, and the carried ones; fetches the first block on the way.
template <class E, class Matrix>
TRIDIA_FN auto start_matrix(index_t n, index_t block, Matrix& a, typename E::factorization& f) {
  const index_t entering = n + 1 - E::tail;
  auto final = decltype(a.get(0)){};
  if constexpr (E::tail > 1) {
    a.fetch(n - 1, n);
    final = a.get(n - 1);
  }
  a.fetch(0, block < entering ? block : entering);
  const auto first = a.get(0);
  f.start(first, final, n);
}
template <class E, class Rhs>
TRIDIA_FN void start_rhs(index_t n, index_t block, Rhs& b, typename E::forward& g) {
  const index_t entering = n + 1 - E::tail;
  auto final = decltype(b.get(0)){};
  if constexpr (E::tail > 1) {
    b.fetch(n - 1, n);
    final = b.get(n - 1);
  }
  b.fetch(0, block < entering ? block : entering);
  g.start(b.get(0), final);
}

/// Back substitution from kept rows; returns x of row 0.
template <class E, class Kept, class Solution>
TRIDIA_FN auto expand(index_t n, index_t block, Kept& kept, Solution& x) {
  typename E::backward h{};
  typename E::upper u;
  auto value = decltype(kept.get(0, u)){};
  descend<E>(
      n, block, x.phase(), [&](index_t k0, index_t k1) { x.flush(k0, k1); },
      [&](int c, index_t k) {
        const auto y = kept.get(k, u);
        x.put(k, value = h.finish(c, u, y));
      },
      [&](index_t k) {
        const auto y = kept.get(k, u);
        x.put(k, value = h.step(u, y));
      });
  return value;
}

/// A x = rhs. `failed(mask, before)` is called where a solution is not finite: before any of x is
/// written (`before`), so that the inputs are still there; or else once it is.
template <class E, class Matrix, class Rhs, class Kept, class Solution, class Failed>
TRIDIA_FN void solve_line(index_t n, index_t block, Matrix& a, Rhs& b, Kept& kept, Solution& x,
                          Failed failed) {
  typename E::factorization f;
  typename E::forward g;
  typename E::lower l;
  typename E::upper u;
  auto y = decltype(b.get(0)){};
  ascend<E>(
      n, block, [&](index_t k0, index_t k1) { a.fetch(k0, k1), b.fetch(k0, k1); },
      [&](index_t) {
        start_matrix<E>(n, block, a, f);
        start_rhs<E>(n, block, b, g);
      },
      [&](index_t k) {
        f.step(a.get(k), n - 1 - k, l, u);
        kept.put(k - 1, u, g.step(l, b.get(k)));
      },
      [&](int c, index_t k) {
        f.finish(c, l, u);
        kept.put(k, u, y = g.finish(c, l));
      });
  const auto good = is_finite(y);
  if (!all_of(good)) failed(!good, true);
  const auto also_good = is_finite(expand<E>(n, block, kept, x));
  if (!all_of(also_good)) failed(good && !also_good, false);
}

/// A = L U into `factors`; returns a mask of the systems in which every number is finite.
template <class E, class Matrix, class Factors>
TRIDIA_FN auto factor_line(index_t n, index_t block, Matrix& a, Factors& factors) {
  typename E::factorization f;
  typename E::lower l;
  typename E::upper u;
  auto good = is_finite(decltype(a.get(0).diag)(0));
  ascend<E>(
      n, block, [&](index_t k0, index_t k1) { a.fetch(k0, k1); },
      [&](index_t) { start_matrix<E>(n, block, a, f); },
      [&](index_t k) {
        f.step(a.get(k), n - 1 - k, l, u);
        good = good && is_finite(l.w) && is_finite(u.next);
        factors.put(k - 1, l, u);
      },
      [&](int c, index_t k) {
        f.finish(c, l, u);
        good = good && is_finite(l.w);
        factors.put(k, l, u);
      });
  return good;
}

/// L U x = rhs; `y` keeps one value a row between the sweeps (it may be x itself where that is
/// memory). `failed` as in solve_line.
template <class E, class Factors, class Rhs, class Kept, class Solution, class Failed>
TRIDIA_FN void substitute_line(index_t n, index_t block, Factors& factors, Rhs& b, Kept& kept,
                               Solution& x, Failed failed) {
  typename E::forward g;
  typename E::lower l;
  auto y = decltype(b.get(0)){};
  ascend<E>(
      n, block, [&](index_t k0, index_t k1) { b.fetch(k0, k1); },
      [&](index_t) { start_rhs<E>(n, block, b, g); },
      [&](index_t k) {
        factors.get_lower(k - 1, l);
        kept.put(k - 1, g.step(l, b.get(k)));
      },
      [&](int c, index_t k) {
        factors.get_lower(k, l);
        kept.put(k, y = g.finish(c, l));
      });
  const auto good = is_finite(y);
  if (!all_of(good)) failed(!good, true);
  const auto also_good = is_finite(expand<E>(n, block, kept, x));
  if (!all_of(also_good)) failed(good && !also_good, false);
}

/// A right-hand side of zeros, to diagnose a matrix alone.
template <class V>
struct zero_rhs {
  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t) const { return V(0); }
};

/// Finds out why systems have no finite solution: looks at every number of the input, then
/// eliminates once more, looking at every pivot. Calls found(lane, status) once for each lane of
/// `open` in which it finds a reason, with a status as in `execution::status`.
template <class E, class Matrix, class Rhs, class Mask, class Found>
TRIDIA_FN void diagnose_line(index_t n, index_t block, Matrix& a, Rhs& b, Mask open, Found found) {
  typename E::factorization f{};
  typename E::forward g{};
  typename E::lower l{};
  typename E::upper u{};
  const auto mark = [&](Mask where, index_t status) {
    for_each_set(where && open, [&](int lane) { found(lane, status); });
    open = open && !where;
  };
  for (index_t k0 = 0; k0 < n; k0 += block) {
    const index_t k1 = k0 + block < n ? k0 + block : n;
    a.fetch(k0, k1), b.fetch(k0, k1);
    for (index_t k = k0; k < k1; ++k) {
      const auto r = a.get(k);
      const auto good = is_finite(r.sub) && is_finite(r.diag) && is_finite(r.sup);
      mark(!(good && is_finite(b.get(k))), -(k + 1));
    }
  }
  const auto check_column = [&](index_t k, const auto& y) {
    mark(is_zero(f.last_pivot), k + 1);
    mark(!(is_finite(l.w) && is_finite(u.next) && is_finite(y)), -(k + 1));
  };
  ascend<E>(
      n, block, [&](index_t k0, index_t k1) { a.fetch(k0, k1), b.fetch(k0, k1); },
      [&](index_t) {
        start_matrix<E>(n, block, a, f);
        start_rhs<E>(n, block, b, g);
      },
      [&](index_t k) {
        f.step(a.get(k), n - 1 - k, l, u);
        check_column(k - 1, g.step(l, b.get(k)));
      },
      [&](int c, index_t k) {
        f.finish(c, l, u);
        check_column(k, g.finish(c, l));
      });
}

/// Row k of a periodic matrix of one or two rows, made a row of a regular one: entries that
/// coincide add up.
template <class V>
TRIDIA_FN row<V> folded(const row<V>& r, index_t k, index_t n) {
  if (n == 1) return {V(0), r.sub + r.diag + r.sup, V(0)};
  const V off = r.sub + r.sup;
  return k == 0 ? row<V>{V(0), r.diag, off} : row<V>{off, r.diag, V(0)};
}

}  // namespace tridia::core
