// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/reciprocal.hpp"

// A chunk of consecutive rows as seen from outside: its interface equations, which hold x of the
// rows `before` and `after` it and of its own `first` and `last` row, and nothing else. Solving
// with chunks goes
//
//   reduce   rows -> equations, for each chunk by itself
//   ...      the interface: equations of neighbours -> those of all together
//   close    equations of the whole system -> its ends, by the boundary
//   ...      ends of all together -> ends of each
//   expand   ends of a chunk -> x of its rows
//
// whoever holds the chunks: threads, warps, blocks, devices. Equations of several chunks together
// have the form of a chunk's, so that they can be the chunks of the next level. Without pivoting
// the interface is a tridiagonal system for the last x of every chunk, for cyclic reduction in
// parallel (PCR); with pivoting, neighbours are merged two by two.
//
// Rows come as `rows.get(k) -> row<V>`, `rows.rhs(k) -> V`, k from 0 in the chunk, and the same
// object keeps what expand needs: `rows.keep(k, a, b, c)`, `rows.kept(k, a, b, c)`, three words a
// row, which may lie where the row was; and takes x by `rows.put(k, x)`, last row first. `map(f)`
// of what holders pass to each other applies f to each of its values.
namespace tridia::core {

template <class V, pivoting P>
struct chunk;

/// Growth that is let pass where pivots are only watched, in units of the rounding error.
inline constexpr int calm_growth = 4;

/// Whether |a| stays below the growth let pass; false for NaN.
template <class V>
TRIDIA_FN auto is_calm(const V& a) {
  using real = typename value_traits<V>::real;
  return magnitude(a) <= real(calm_growth);
}

/// Whether a row is so far from diagonal dominance that numbers will most likely grow if
/// elimination interchanges nothing.
template <class V>
TRIDIA_FN bool is_weak(const row<V>& r) {
  using real = typename value_traits<V>::real;
  return real(1.25) * magnitude(r.diag) < magnitude(r.sub) + magnitude(r.sup);
}

/// Without interchanges: Thomas inside the chunk, with a column for x before it. `watch(v)` sees
/// every number whose size bounds the growth of rounding errors.
template <class V>
struct chunk<V, pivoting::none> {
  /// x = rhs - before x_before - after x_after.
  struct equation {
    V before, after, rhs;
    TRIDIA_FN V at(const V& x_before, const V& x_after) const {
      return sub_mul(sub_mul(rhs, before, x_before), after, x_after);
    }
    template <class F>
    TRIDIA_FN equation map(F f) const {
      return {f(before), f(after), f(rhs)};
    }
  };
  /// First x from that before the chunk and the last one; last x from those before and after.
  struct equations {
    equation first, last;
    template <class F>
    TRIDIA_FN equations map(F f) const {
      return {first.map(f), last.map(f)};
    }
  };
  struct ends {
    V before, last, after;
    template <class F>
    TRIDIA_FN ends map(F f) const {
      return {f(before), f(last), f(after)};
    }
  };

  template <bool Keep, class Index, class Rows, class Watch>
  static TRIDIA_FN equations reduce(Index n, Rows& rows, Watch&& watch) {
    row<V> in = rows.get(0);
    V rhs = rows.rhs(0);
    const V w = quick_reciprocal(in.diag);
    equation here{in.sub * w, in.sup * w, rhs * w};
    equation first{V(0), -V(1), V(0)};
    const auto next = [&](Index k) {
      if constexpr (Keep) rows.keep(k - 1, here.after, here.before, here.rhs);
      first = {sub_mul(first.before, first.after, here.before), -(first.after * here.after),
               sub_mul(first.rhs, first.after, here.rhs)};
      watch(here.after);
      watch(first.after);
      const V v = quick_reciprocal(sub_mul(in.diag, in.sub, here.after));
      here = {(in.sub * v) * -here.before, in.sup * v, sub_mul(rhs, in.sub, here.rhs) * v};
    };
    if (n > 1) {
      row<V> ahead = rows.get(1);
      V rhs_ahead = rows.rhs(1);
      for (Index k = 1; k < n - 1; ++k) {
        in = ahead, rhs = rhs_ahead;
        ahead = rows.get(k + 1), rhs_ahead = rows.rhs(k + 1);
        next(k);
      }
      in = ahead, rhs = rhs_ahead;
      next(n - 1);
    }
    if constexpr (Keep) rows.keep(n - 1, here.after, here.before, here.rhs);
    watch(here.before), watch(here.after), watch(first.before);
    return {first, here};
  }

  /// A chunk's last x in terms of its neighbours' last: a row of the interface system.
  template <class Watch>
  static TRIDIA_FN equation link(const equation& last, const equation& next_first, Watch&& watch) {
    const V w = quick_reciprocal(sub_mul(V(1), last.after, next_first.before));
    const V h = last.after * w;
    const equation e{last.before * w, h * -next_first.after,
                     sub_mul(last.rhs * w, h, next_first.rhs)};
    watch(e.before), watch(e.after);
    return e;
  }

  /// A step of PCR: the equations of two rows that this one refers to are put in. Where there is
  /// no such row (`has_left`, `has_right`), it goes on referring to what is outside.
  template <class Watch>
  static TRIDIA_FN equation combine(const equation& e, bool has_left, const equation& left,
                                    bool has_right, const equation& right, Watch&& watch) {
    const V a = has_left ? e.before : V(0), c = has_right ? e.after : V(0);
    const V w = quick_reciprocal(sub_mul(sub_mul(V(1), a, left.after), c, right.before));
    const equation r{(e.before * w) * (has_left ? -left.before : V(1)),
                     (e.after * w) * (has_right ? -right.after : V(1)),
                     sub_mul(sub_mul(e.rhs, a, left.rhs), c, right.rhs) * w};
    watch(r.before), watch(r.after);
    return r;
  }

  /// First x of several chunks: the first one's, its last x being known from all their last x.
  static TRIDIA_FN equation join_first(const equation& first, const equation& its_last) {
    return {sub_mul(first.before, first.after, its_last.before), first.after * -its_last.after,
            sub_mul(first.rhs, first.after, its_last.rhs)};
  }
  /// Last x of several chunks: the last one's, that of the one before it being known.
  template <class Watch>
  static TRIDIA_FN equation join_last(const equation& last, const equation& one_before,
                                      Watch&& watch) {
    const V w = quick_reciprocal(sub_mul(V(1), last.before, one_before.after));
    const equation e{(last.before * w) * -one_before.before, last.after * w,
                     sub_mul(last.rhs, last.before, one_before.rhs) * w};
    watch(e.before), watch(e.after);
    return e;
  }

  template <boundary B>
  static TRIDIA_FN ends close(const equations& e) {
    if constexpr (B == boundary::regular) return {V(0), e.last.rhs, V(0)};
    // The last x is before the first, and the first after the last.
    const V first = e.first.before + e.first.after;
    const V last = sub_mul(e.last.rhs, e.last.after, e.first.rhs) *
                   quick_reciprocal(sub_mul(V(1) + e.last.before, e.last.after, first));
    return {last, last, sub_mul(e.first.rhs, first, last)};
  }

  /// Nothing but the rows goes from `reduce` to `expand`.
  struct middle {};

  /// x from what `reduce<true>` kept. Returns where all of it is finite: what is not spreads to
  /// the first row.
  template <class Index, class Rows>
  static TRIDIA_FN auto expand(Index n, Rows& rows, const ends& e, const middle& = {}) {
    V x = e.last;
    rows.put(n - 1, x);
    if (n > 1) {
      equation ahead;
      rows.kept(n - 2, ahead.after, ahead.before, ahead.rhs);
      for (Index k = n - 2; k > 0; --k) {
        const equation here = ahead;
        rows.kept(k - 1, ahead.after, ahead.before, ahead.rhs);
        rows.put(k, x = here.at(e.before, x));
      }
      rows.put(0, x = ahead.at(e.before, x));
    }
    return is_finite(x);
  }
};

/// With partial pivoting among all rows that reach a column, which inside a chunk are three: the
/// columns between the first and the last have entries in rows of the chunk alone. So this is
/// Gaussian elimination with partial pivoting on A with its columns in another order, and fails
/// only where A is singular. Two equations are left over.
template <class V>
struct chunk<V, pivoting::partial> {
  struct equation {
    V before, first, last, after, rhs;
    template <class F>
    TRIDIA_FN equation map(F f) const {
      return {f(before), f(first), f(last), f(after), f(rhs)};
    }
  };
  struct equations {
    equation a, b;
    template <class F>
    TRIDIA_FN equations map(F f) const {
      return {a.map(f), b.map(f)};
    }
  };
  struct ends {
    V before, first, last, after;
    template <class F>
    TRIDIA_FN ends map(F f) const {
      return {f(before), f(first), f(last), f(after)};
    }
  };
  /// Pivot rows between two chunks: the left one's last x (`left`, which holds the right one's
  /// first as well), the right one's first.
  struct seam {
    V next;
    equation left, right;
  };

  /// A row during elimination: its entries in this column and the next, and `Sides` more columns.
  template <int Sides>
  struct partial_row {
    V here, next;
    V side[Sides];
  };
  template <int Sides>
  static TRIDIA_FN void swap_rows(mask_t<V> m, partial_row<Sides>& a, partial_row<Sides>& b) {
    swap_if(m, a.here, b.here);
    swap_if(m, a.next, b.next);
    for (int i = 0; i < Sides; ++i) swap_if(m, a.side[i], b.side[i]);
  }
  template <int Sides>
  static TRIDIA_FN void larger_first(partial_row<Sides>& a, partial_row<Sides>& b) {
    swap_rows(magnitude(b.here) > magnitude(a.here), a, b);
  }
  /// Returns 1 / pivot.
  template <int Sides>
  static TRIDIA_FN V scale(partial_row<Sides>& pivot) {
    const V w = quick_reciprocal(pivot.here);
    pivot.next = pivot.next * w;
    for (V& s : pivot.side) s = s * w;
    return w;
  }
  /// Takes this column out of row r; its next column becomes this one.
  template <int Sides>
  static TRIDIA_FN void eliminate(const partial_row<Sides>& pivot, partial_row<Sides>& r) {
    const V m = r.here;
    r.here = sub_mul(r.next, m, pivot.next);
    for (int i = 0; i < Sides; ++i) r.side[i] = sub_mul(r.side[i], m, pivot.side[i]);
  }

  /// The two rows of a chunk that are carried on; a column at a time. The last side is the
  /// right-hand side.
  template <int Sides>
  struct carried {
    partial_row<Sides> p, q;

    /// Row k + 1 enters, column k leaves: x_k = side - next x_(k+1) - fill x_(k+2), `pivot` and
    /// `fill`.
    TRIDIA_FN partial_row<Sides> step(const row<V>& in, V rhs, V& fill) {
      partial_row<Sides> r{in.sub, in.diag, {}};
      for (V& s : r.side) s = V(0);
      r.side[Sides - 1] = rhs;
      V r_fill = in.sup;
      larger_first(p, q);
      const mask_t<V> swapped = magnitude(r.here) > magnitude(p.here);
      fill = V(0);
      swap_rows(swapped, p, r);
      swap_if(swapped, fill, r_fill);
      partial_row<Sides> pivot = p;
      fill = fill * scale(pivot);
      p = carry(pivot, fill, q, V(0));
      q = carry(pivot, fill, r, r_fill);
      return pivot;
    }

   private:
    static TRIDIA_FN partial_row<Sides> carry(const partial_row<Sides>& pivot, V fill,
                                              partial_row<Sides> r, V r_fill) {
      const V next = sub_mul(r_fill, r.here, fill);
      eliminate(pivot, r);
      r.next = next;
      return r;
    }
  };

  /// What `reduce` found in the middle of a chunk, for `expand`: its halves are chunks that are
  /// worked on side by side, since each step of one waits for the division of the step before.
  using middle = seam;

  template <class Index, class Rows>
  static TRIDIA_FN equations reduce(Index n, Rows& rows, middle& m) {
    const V zero(0);
    const row<V> r0 = rows.get(0);
    if (n == 1) {
      return {{r0.sub, r0.diag, zero, r0.sup, rows.rhs(0)}, {zero, V(1), -V(1), zero, zero}};
    }
    if (n == 2) {
      const row<V> r1 = rows.get(1);
      return {{r0.sub, r0.diag, r0.sup, zero, rows.rhs(0)},
              {zero, r1.sub, r1.diag, r1.sup, rows.rhs(1)}};
    }
    reduction<Rows> left(rows, Index(0));
    const Index n_left = left_half(n), n_right = n - n_left;
    if (n_right == 0) {
      for (Index k = 2; k < n; ++k) left.step(k);
      return left.result();
    }
    reduction<Rows> right(rows, n_left);
    for (Index k = 2; k < n_right; ++k) left.step(k), right.step(n_left + k);
    if (n_right < n_left) left.step(n_left - 1);
    return merge(left.result(), right.result(), m);
  }

  static TRIDIA_FN equations merge(const equations& a, const equations& b, seam& s) {
    // Columns: the left one's last x, the right one's first; the sides as in an equation.
    partial_row<5> r[4] = {left_row(a.a), left_row(a.b), right_row(b.a), right_row(b.b)};
    larger_first(r[0], r[1]);
    larger_first(r[2], r[3]);
    larger_first(r[0], r[2]);
    scale(r[0]);
    for (int i = 1; i < 4; ++i) eliminate(r[0], r[i]);
    s.next = r[0].next;
    s.left = {r[0].side[0], r[0].side[1], r[0].side[2], r[0].side[3], r[0].side[4]};
    larger_first(r[1], r[2]);
    larger_first(r[1], r[3]);
    r[1].next = r[2].next = r[3].next = V(0);
    scale(r[1]);
    eliminate(r[1], r[2]);
    eliminate(r[1], r[3]);
    s.right = {r[1].side[0], r[1].side[1], r[1].side[2], r[1].side[3], r[1].side[4]};
    return {outer_equation(r[2]), outer_equation(r[3])};
  }

  static TRIDIA_FN void split(const seam& s, const ends& both, ends& left, ends& right) {
    const V first = at(s.right, both);
    const V last = sub_mul(at(s.left, both), s.next, first);
    left = {both.before, both.first, last, first};
    right = {last, first, both.last, both.after};
  }

  template <boundary B>
  static TRIDIA_FN ends close(const equations& e) {
    constexpr bool periodic = B == boundary::periodic;
    partial_row<1> p = whole<periodic>(e.a), q = whole<periodic>(e.b);
    larger_first(p, q);
    scale(p);
    eliminate(p, q);
    const V last = q.side[0] * quick_reciprocal(q.here);
    const V first = sub_mul(p.side[0], p.next, last);
    return periodic ? ends{last, first, last, first} : ends{V(0), first, last, V(0)};
  }

  /// x of every row: eliminates once more, now that the ends are known, with one side to carry.
  template <class Index, class Rows>
  static TRIDIA_FN auto expand(Index n, Rows& rows, const ends& e, const middle& m) {
    const Index n_left = left_half(n), n_right = n - n_left;
    if (n_right == 0) {
      expansion<Index, Rows> all(rows, 0, n, e);
      for (Index k = 2; k < n; ++k) all.step(k);
      for (Index k = n - 1; k-- > 1;) all.put(k);
      return all.finish();
    }
    ends of_left, of_right;
    split(m, e, of_left, of_right);
    expansion<Index, Rows> left(rows, 0, n_left, of_left), right(rows, n_left, n_right, of_right);
    for (Index k = 2; k < n_right; ++k) left.step(k), right.step(k);
    if (n_right < n_left) {
      left.step(n_right);
      left.put(n_left - 2);
    }
    for (Index k = n_right - 1; k-- > 1;) left.put(k), right.put(k);
    const auto sound = left.finish();
    return right.finish() && sound;
  }

 private:
  /// Rows of a chunk's first half; all where a half would be too short to have columns of its own.
  template <class Index>
  static TRIDIA_FN Index left_half(Index n) {
    constexpr Index least = 6;
    return n < least ? n : n - n / 2;
  }

  /// A chunk, or half of one, of three rows or more, on its way to equations.
  template <class Rows>
  class reduction {
   public:
    template <class Index>
    TRIDIA_FN reduction(const Rows& rows, Index first) : rows_(rows) {
      const row<V> r0 = rows.get(first), r1 = rows.get(first + 1);
      e_ = {{r0.sup, V(0), {r0.sub, r0.diag, rows.rhs(first)}},
            {r1.diag, r1.sup, {V(0), r1.sub, rows.rhs(first + 1)}}};
    }
    template <class Index>
    TRIDIA_FN void step(Index row) {
      V fill;
      e_.step(rows_.get(row), rows_.rhs(row), fill);
    }
    TRIDIA_FN equations result() const { return {equation_of(e_.p), equation_of(e_.q)}; }

   private:
    const Rows& rows_;
    carried<3> e_;
  };

  /// A chunk, or half of one, on its way to x. Rows count from the first of it.
  template <class Index, class Rows>
  class expansion {
   public:
    TRIDIA_FN expansion(Rows& rows, Index first, Index n, const ends& e)
        : rows_(rows), first_(first), n_(n), e_(e), x1_(e.last), x2_(e.after) {
      if (n < 3) return;
      const row<V> r0 = rows.get(first), r1 = rows.get(first + 1);
      const V b0 = sub_mul(sub_mul(rows.rhs(first), r0.sub, e.before), r0.diag, e.first);
      g_ = {{r0.sup, V(0), {b0}},
            {r1.diag, r1.sup, {sub_mul(rows.rhs(first + 1), r1.sub, e.first)}}};
      in_ = rows.get(first + 2), rhs_ = rows.rhs(first + 2);
    }
    /// Row k enters. The one behind it is fetched before anything is kept, so that it need not wait
    /// for that.
    TRIDIA_FN void step(Index k) {
      V fill;
      const partial_row<1> pivot = g_.step(in_, rhs_, fill);
      if (k + 1 < n_) in_ = rows_.get(first_ + k + 1), rhs_ = rows_.rhs(first_ + k + 1);
      rows_.keep(first_ + k - 1, pivot.next, fill, pivot.side[0]);
    }
    /// x of row k, the one behind it being known.
    TRIDIA_FN void put(Index k) {
      V next, fill, y;
      rows_.kept(first_ + k, next, fill, y);
      const V x = sub_mul(sub_mul(y, fill, x2_), next, x1_);
      x2_ = x1_;
      rows_.put(first_ + k, x1_ = x);
    }
    /// The ends; returns where all is finite.
    TRIDIA_FN auto finish() {
      rows_.put(first_ + n_ - 1, e_.last);
      if (n_ > 1) rows_.put(first_, e_.first);
      return is_finite(x1_) && is_finite(e_.first) && is_finite(e_.last);
    }

   private:
    Rows& rows_;
    Index first_, n_;
    ends e_;
    V x1_, x2_;
    carried<1> g_{};
    row<V> in_{};
    V rhs_{};
  };

  static TRIDIA_FN equation equation_of(const partial_row<3>& r) {
    return {r.side[0], r.side[1], r.here, r.next, r.side[2]};
  }
  static TRIDIA_FN partial_row<5> left_row(const equation& e) {
    return {e.last, e.after, {e.before, e.first, V(0), V(0), e.rhs}};
  }
  static TRIDIA_FN partial_row<5> right_row(const equation& e) {
    return {e.before, e.first, {V(0), V(0), e.last, e.after, e.rhs}};
  }
  static TRIDIA_FN equation outer_equation(const partial_row<5>& r) {
    return {r.side[0], r.side[1], r.side[2], r.side[3], r.side[4]};
  }
  template <bool Periodic>
  static TRIDIA_FN partial_row<1> whole(const equation& e) {
    return Periodic ? partial_row<1>{e.first + e.after, e.last + e.before, {e.rhs}}
                    : partial_row<1>{e.first, e.last, {e.rhs}};
  }
  static TRIDIA_FN V at(const equation& e, const ends& x) {
    const V inside = sub_mul(sub_mul(e.rhs, e.first, x.first), e.last, x.last);
    return sub_mul(sub_mul(inside, e.before, x.before), e.after, x.after);
  }
};

}  // namespace tridia::core
