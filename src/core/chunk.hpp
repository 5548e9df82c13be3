// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/crossing.hpp"
#include "core/elimination.hpp"
#include "core/reciprocal.hpp"
#include "core/unit_scale.hpp"

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
// row, or with pivoting `rows.keep_pivot(k, row)`, `rows.kept_pivot(k) -> row`, which may lie where
// the row was; and takes x by `rows.put(k, x)`, last row first. `map(f)` of what holders pass to
// each other applies f to each of its values.
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

/// How much cancels on the way to an equation of an interface: the product of the reciprocals of
/// its pivots, as far as these are above 1. Every x of an interface is found by itself, so errors
/// of that size do not fit each other and leave a residual, which elimination of row after row
/// would not. Half of the digits may go; n rows of (-1, 2, -1) come to about n.
class cancellation {
 public:
  template <class V>
  TRIDIA_FN void add(const V& reciprocal) {
    const auto size = static_cast<float>(magnitude(reciprocal));
    product_ *= size <= 1 ? 1 : size;  // NaN stays
  }
  template <class V>
  [[nodiscard]] TRIDIA_FN bool is_calm() const {
    return product_ <= half_of_the_digits(typename value_traits<V>::real());
  }

 private:
  static TRIDIA_FN constexpr float half_of_the_digits(float) { return 1 << 12; }
  static TRIDIA_FN constexpr float half_of_the_digits(double) { return 1 << 26; }
  float product_ = 1;
};

/// Whether a row is so far from diagonal dominance that numbers will most likely grow if
/// elimination interchanges nothing.
template <class V>
TRIDIA_FN bool is_weak(const row<V>& r) {
  using real = typename value_traits<V>::real;
  return real(1.25) * magnitude(r.diag) < magnitude(r.sub) + magnitude(r.sup);
}

/// Without interchanges: Thomas inside the chunk, with a column for x before it. `watch(v)` sees
/// every number whose size bounds the growth of rounding errors, and `watch.pivot(w)`, if there is
/// such a member, every reciprocal of a pivot of the interface.
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
    const V w = pivot_reciprocal(sub_mul(V(1), last.after, next_first.before), watch);
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
    const V w = pivot_reciprocal(sub_mul(sub_mul(V(1), a, left.after), c, right.before), watch);
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
    const V w = pivot_reciprocal(sub_mul(V(1), last.before, one_before.after), watch);
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

 private:
  template <class Watch>
  static TRIDIA_FN V pivot_reciprocal(const V& pivot, Watch& watch) {
    const V w = quick_reciprocal(pivot);
    if constexpr (requires { watch.pivot(w); }) watch.pivot(w);
    return w;
  }
};

/// With pivoting: every x is found from a row that is, in its column, the largest of those it could
/// be found from. Between a chunk's first column and its last, columns have entries in rows of the
/// chunk alone, so this is Gaussian elimination on A with its columns in another order, and fails
/// only where A is singular. Two equations are left over. Rows are not exchanged, which costs more
/// than arithmetic does: they cross (core/crossing.hpp).
///
/// Rows are scaled to unit size as they enter. Two rows that a chunk carries along are eliminated
/// by each other whatever enters next, so without that a row would lose beside one that is larger
/// for no other reason than its units. With it the error is that of changing each entry by some
/// epsilons of the largest in its row (pairwise pivoting; D. C. Sorensen, IEEE Trans. Comput. C-34,
/// 1985), and scaling the rows of A changes nothing.
template <class V>
struct chunk<V, pivoting::partial> {
  struct equation {
    V before, first, last, after, rhs;
    template <class F>
    TRIDIA_FN equation map(F f) const {
      return {f(before), f(first), f(last), f(after), f(rhs)};
    }
    template <class F>
    TRIDIA_FN equation with(const equation& o, F f) const {
      return {f(before, o.before), f(first, o.first), f(last, o.last), f(after, o.after),
              f(rhs, o.rhs)};
    }
  };
  struct equations {
    equation a, b;
    template <class F>
    TRIDIA_FN equations map(F f) const {
      return {a.map(f), b.map(f)};
    }
    template <class F>
    TRIDIA_FN equations with(const equations& o, F f) const {
      return {a.with(o.a, f), b.with(o.b, f)};
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
  /// The pivot row of an x within a chunk, x = rhs - next x_next - first x_first - other y: one
  /// that has been carried here since the chunk's first row, y is x before the chunk; or the one
  /// that `entered` last, without x_first, and y is the x behind x_next. So five entries take four
  /// words.
  struct pivot_row {
    V next, other, first, rhs;
    mask_t<V> entered;
  };

  /// What `reduce` found in the middle of a chunk, for `expand`: its halves are chunks that are
  /// worked on side by side, since each step of one waits for the division of the step before.
  using middle = seam;

  /// Pivot rows are kept for `expand` if `Keep`, by rows.keep_pivot(k, row).
  template <bool Keep, class Index, class Rows>
  static TRIDIA_FN equations reduce(Index n, Rows& rows, middle& m) {
    const V zero(0), one(1);
    if (n == 1) {
      // Its first x is its last.
      const unit_row r(rows, 0);
      return {{r.sub, r.diag, zero, r.sup, r.rhs}, {zero, one, -one, zero, zero}};
    }
    if (n == 2) {
      const unit_row r0(rows, 0), r1(rows, 1);
      return {{r0.sub, r0.diag, r0.sup, zero, r0.rhs}, {zero, r1.sub, r1.diag, r1.sup, r1.rhs}};
    }
    const Index n_left = left_half(n), n_right = n - n_left;
    reduction<Keep, Index, Rows> left(rows, 0, n_left);
    if (n_right == 0) {
      for (Index k = 2; k < n; ++k) left.step(k);
      return left.result();
    }
    reduction<Keep, Index, Rows> right(rows, n_left, n_right);
    for (Index k = 2; k < n_right; ++k) left.step(k), right.step(k);
    if (n_right < n_left) left.step(n_right);
    return merge(left.result(), right.result(), m);
  }

  static TRIDIA_FN equations merge(const equations& a, const equations& b, seam& s) {
    // The left one's last x: from one of the left rows or of the right ones.
    const auto in_left = crossing<V>::sparing(a.a.last, a.b.last);
    const auto in_right = crossing<V>::sparing(b.a.before, b.b.before);
    const equation left = larger_of(in_left, a.a, a.b), right = larger_of(in_right, b.a, b.b);
    const crossing<V> last(left.last, right.before);
    const V w = last.pivot_reciprocal();
    s.next = last.larger(left.after, right.first) * w;
    s.left = {last.first_if_larger(left.before) * w, last.first_if_larger(left.first) * w,
              last.second_if_larger(right.last) * w, last.second_if_larger(right.after) * w,
              last.larger(left.rhs, right.rhs) * w};
    // Three rows are left. The right one's first x: its entry in them, and the outer ones.
    const V of_left = in_left.cross(a.a.after, a.b.after);
    const equation p{in_left.cross(a.a.before, a.b.before), in_left.cross(a.a.first, a.b.first),
                     V(0), V(0), in_left.cross(a.a.rhs, a.b.rhs)};
    const V of_right = in_right.cross(b.a.first, b.b.first);
    const equation q{V(0), V(0), in_right.cross(b.a.last, b.b.last),
                     in_right.cross(b.a.after, b.b.after), in_right.cross(b.a.rhs, b.b.rhs)};
    const V of_both = last.cross(left.after, right.first);
    const equation both{last.cross_first(left.before), last.cross_first(left.first),
                        last.cross_second(right.last), last.cross_second(right.after),
                        last.cross(left.rhs, right.rhs)};
    const auto apart = crossing<V>::sparing(of_left, of_right);
    const V of_larger = apart.larger(of_left, of_right);
    const equation larger = larger_of(apart, p, q);
    const crossing<V> first(of_larger, of_both);
    const V v = first.pivot_reciprocal();
    s.right = larger_of(first, larger, both).map([&](const V& part) { return part * v; });
    return {{apart.cross_first(p.before), apart.cross_first(p.first), apart.cross_second(q.last),
             apart.cross_second(q.after), apart.cross(p.rhs, q.rhs)},
            larger.with(both, [&](const V& x, const V& y) { return first.cross(x, y); })};
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
    const auto of_first = [](const equation& r) { return periodic ? r.first + r.after : r.first; };
    const auto of_last = [](const equation& r) { return periodic ? r.last + r.before : r.last; };
    const crossing<V> c(of_first(e.a), of_first(e.b));
    const V last =
        c.cross(e.a.rhs, e.b.rhs) * quick_reciprocal(c.cross(of_last(e.a), of_last(e.b)));
    const V first =
        sub_mul(c.larger(e.a.rhs, e.b.rhs), c.larger(of_last(e.a), of_last(e.b)), last) *
        c.pivot_reciprocal();
    return periodic ? ends{last, first, last, first} : ends{V(0), first, last, V(0)};
  }

  /// x of every row from what `reduce<true>` kept, as rows.kept_pivot(k).
  template <class Index, class Rows>
  static TRIDIA_FN auto expand(Index n, Rows& rows, const ends& e, const middle& m) {
    const Index n_left = left_half(n), n_right = n - n_left;
    if (n_right == 0) {
      expansion<Index, Rows> all(rows, 0, n, e);
      for (Index k = n - 1; k-- > 1;) all.put(k);
      return all.finish();
    }
    ends of_left, of_right;
    split(m, e, of_left, of_right);
    expansion<Index, Rows> left(rows, 0, n_left, of_left), right(rows, n_left, n_right, of_right);
    if (n_right < n_left) left.put(n_left - 2);
    for (Index k = n_right - 1; k-- > 1;) left.put(k), right.put(k);
    const auto sound = left.finish();
    return right.finish() && sound;
  }

 private:
  /// Row k of A and its right-hand side, times the power of two by which its largest entry comes to
  /// lie in [1, 2).
  struct unit_row : row<V> {
    V rhs;
    template <class Index, class Rows>
    TRIDIA_FN unit_row(const Rows& rows, Index k) : row<V>(rows.get(k)), rhs(rows.rhs(k)) {
      using real = typename value_traits<V>::real;
      const auto exponent =
          larger(larger(exponent_of(this->sub), exponent_of(this->sup)), exponent_of(this->diag));
      const real scale = unit_scale(exponent, real(1));
      this->sub = scaled(this->sub, scale), this->diag = scaled(this->diag, scale);
      this->sup = scaled(this->sup, scale), rhs = scaled(rhs, scale);
    }
  };

  /// Rows of a chunk's first half; all where a half would be too short to have columns of its own.
  template <class Index>
  static TRIDIA_FN Index left_half(Index n) {
    constexpr Index least = 6;
    return n < least ? n : n - n / 2;
  }

  /// A chunk, or half of one, of three rows or more, on its way to equations. Rows count from the
  /// first of it.
  template <bool Keep, class Index, class Rows>
  class reduction {
   public:
    TRIDIA_FN reduction(Rows& rows, Index first, Index n)
        : rows_(rows), first_(first), n_(n), in_(rows, first + 2) {
      const unit_row r0(rows, first), r1(rows, first + 1);
      q_ = {r0.sub, r0.diag, r0.sup, V(0), r0.rhs};
      p_ = {V(0), r1.sub, r1.diag, r1.sup, r1.rhs};
    }
    /// Row k enters, column k - 1 leaves. The row behind it is fetched before anything is kept, so
    /// that it need not wait for that.
    TRIDIA_FN void step(Index k) {
      const auto carried = crossing<V>::sparing(p_.last, q_.last);
      const equation c = larger_of(carried, p_, q_);
      q_ = {carried.cross(p_.before, q_.before), carried.cross(p_.first, q_.first),
            carried.cross_first(p_.after), V(0), carried.cross(p_.rhs, q_.rhs)};
      const crossing<V> entering(c.last, in_.sub);
      p_ = {entering.cross_first(c.before), entering.cross_first(c.first),
            entering.cross(c.after, in_.diag), entering.cross_second(in_.sup),
            entering.cross(c.rhs, in_.rhs)};
      const V w = entering.pivot_reciprocal();
      const pivot_row pivot{entering.larger(c.after, in_.diag) * w,
                            entering.larger(c.before, in_.sup) * w,
                            entering.first_if_larger(c.first) * w,
                            entering.larger(c.rhs, in_.rhs) * w, entering.second()};
      if (k + 1 < n_) in_ = unit_row(rows_, first_ + k + 1);
      if constexpr (Keep) {
        rows_.keep_pivot(first_ + k - 1, pivot);
      } else {
        p_.rhs = add_mul(p_.rhs, w, V(0));  // NaN if w is
      }
    }
    TRIDIA_FN equations result() const { return {p_, q_}; }

   private:
    Rows& rows_;
    Index first_, n_;
    equation p_, q_;  // `last` and `after` are this column and the next, where q_ has none
    unit_row in_;
  };

  /// A chunk, or half of one, on its way to x. Rows count from the first of it.
  template <class Index, class Rows>
  class expansion {
   public:
    TRIDIA_FN expansion(Rows& rows, Index first, Index n, const ends& e)
        : rows_(rows), first_(first), n_(n), e_(e), x1_(e.last), x2_(e.after) {}
    /// x of row k, the one behind it being known.
    TRIDIA_FN void put(Index k) {
      const pivot_row p = rows_.kept_pivot(first_ + k);
      const V other = select(p.entered, x2_, e_.before);
      const V known = sub_mul(sub_mul(p.rhs, p.first, e_.first), p.other, other);
      x2_ = x1_;
      rows_.put(first_ + k, x1_ = sub_mul(known, p.next, x1_));
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
  };

  static TRIDIA_FN equation larger_of(const crossing<V>& c, const equation& x, const equation& y) {
    return x.with(y, [&](const V& of_x, const V& of_y) { return c.larger(of_x, of_y); });
  }
  static TRIDIA_FN V at(const equation& e, const ends& x) {
    const V inside = sub_mul(sub_mul(e.rhs, e.first, x.first), e.last, x.last);
    return sub_mul(sub_mul(inside, e.before, x.before), e.after, x.after);
  }
};
template <class V>
using pivot_row_of = typename chunk<V, pivoting::partial>::pivot_row;

}  // namespace tridia::core
