// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cross_elimination.hpp"
#include "core/elimination.hpp"
#include "core/plain_chunk.hpp"
#include "core/reciprocal.hpp"
#include "core/unit_scale.hpp"

// This file defines chunks (core/chunk.hpp) with pivoting.
namespace tridia::core {

/// Reduces a chunk with pivoting: every x is found from the row whose entry in its column is the
/// largest of the rows that it could be found from. Between a chunk's first column and its last,
/// columns have entries in rows of the chunk alone, so this is Gaussian elimination on A with its
/// columns in another order, and fails only where A is singular. Two equations remain. Rows are not
/// exchanged, which costs more than arithmetic does: cross elimination replaces it
/// (core/cross_elimination.hpp).
///
/// Rows are scaled to unit size as they enter. Two rows that a chunk carries along are eliminated
/// by each other whatever enters next, so without that a row would lose beside one that is larger
/// for no other reason than its units. With it the error is that of changing each entry by some
/// epsilons of the largest in its row (pairwise pivoting; D. C. Sorensen, IEEE Trans. Comput. C-34,
/// 1985), and scaling the rows of A changes nothing.
template <class V, class R>
struct chunk<V, pivoting::partial, R> {
  struct equation {
    V before, first, last, after;
    R rhs;
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
  struct unknowns {
    R before, first, last, after;
    template <class F>
    TRIDIA_FN unknowns map(F f) const {
      return {f(before), f(first), f(last), f(after)};
    }
  };
  /// Holds the pivot rows between two chunks: that of the left chunk's last x (`left`, which
  /// contains the right chunk's first x as well), and that of the right chunk's first x.
  struct merge_record {
    V next;
    equation left, right;
  };
  /// Holds the pivot row of an x within a chunk, x = rhs - next x_next - first x_first - other y.
  /// It is either a row carried since the chunk's first row, where y is x before the chunk; or the
  /// row that `entered` last, without x_first, where y is the x after x_next. So five entries take
  /// four values.
  struct pivot_row {
    V next, other, first;
    R rhs;
    mask_t<V> entered;
  };

  /// Holds what `reduce` found in the middle of a chunk, for `expand`: the halves are chunks that
  /// are reduced side by side, since each step of one waits for the division of the step before.
  using middle = merge_record;

  /// Reduces a chunk to its equations. If `Keep`, pivot rows are kept for `expand` by
  /// rows.keep_pivot(k, row).
  template <bool Keep, class Index, class Rows>
  static TRIDIA_FN equations reduce(Index n, Rows& rows, middle& m) {
    const V zero(0), one(1);
    if (n == 1) {
      // Its first x is its last.
      const unit_row r(rows, 0);
      return {{r.sub, r.diag, zero, r.sup, r.rhs}, {zero, one, -one, zero, R(0)}};
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

  /// Returns the equations of a chunk that was reduced without interchanges, so that it can have
  /// neighbours that were not; and its interface unknowns.
  static TRIDIA_FN equations from_plain(const typename chunk<V, pivoting::none, R>::equations& e) {
    return {{e.first.before, V(1), e.first.after, V(0), e.first.rhs},
            {e.last.before, V(0), V(1), e.last.after, e.last.rhs}};
  }
  static TRIDIA_FN typename chunk<V, pivoting::none, R>::unknowns to_plain(const unknowns& x) {
    return {x.before, x.last, x.after};
  }

  static TRIDIA_FN equations merge(const equations& a, const equations& b, merge_record& s) {
    // The left chunk's last x is found from one of the left rows or of the right ones.
    const auto in_left = cross_elimination<V>::sparing(a.a.last, a.b.last);
    const auto in_right = cross_elimination<V>::sparing(b.a.before, b.b.before);
    const equation left = larger_of(in_left, a.a, a.b), right = larger_of(in_right, b.a, b.b);
    const cross_elimination<V> last(left.last, right.before);
    const V w = last.pivot_reciprocal();
    s.next = last.larger(left.after, right.first) * w;
    s.left = {last.first_if_larger(left.before) * w, last.first_if_larger(left.first) * w,
              last.second_if_larger(right.last) * w, last.second_if_larger(right.after) * w,
              last.larger(left.rhs, right.rhs) * w};
    // Three rows remain. They have entries of the right chunk's first x, and the outer ones.
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
    const auto apart = cross_elimination<V>::sparing(of_left, of_right);
    const V of_larger = apart.larger(of_left, of_right);
    const equation larger = larger_of(apart, p, q);
    const cross_elimination<V> first(of_larger, of_both);
    const V v = first.pivot_reciprocal();
    s.right = larger_of(first, larger, both).map([&](const auto& part) { return part * v; });
    return {{apart.cross_first(p.before), apart.cross_first(p.first), apart.cross_second(q.last),
             apart.cross_second(q.after), apart.cross(p.rhs, q.rhs)},
            larger.with(both, [&](const auto& x, const auto& y) { return first.cross(x, y); })};
  }

  static TRIDIA_FN void split(const merge_record& s, const unknowns& both, unknowns& left,
                              unknowns& right) {
    const R first = at(s.right, both);
    const R last = sub_mul(at(s.left, both), s.next, first);
    left = {both.before, both.first, last, first};
    right = {last, first, both.last, both.after};
  }

  template <boundary B>
  static TRIDIA_FN unknowns close(const equations& e) {
    constexpr bool periodic = B == boundary::periodic;
    const auto of_first = [](const equation& r) { return periodic ? r.first + r.after : r.first; };
    const auto of_last = [](const equation& r) { return periodic ? r.last + r.before : r.last; };
    const cross_elimination<V> c(of_first(e.a), of_first(e.b));
    const R last =
        c.cross(e.a.rhs, e.b.rhs) * quick_reciprocal(c.cross(of_last(e.a), of_last(e.b)));
    const R first =
        sub_mul(c.larger(e.a.rhs, e.b.rhs), c.larger(of_last(e.a), of_last(e.b)), last) *
        c.pivot_reciprocal();
    return periodic ? unknowns{last, first, last, first} : unknowns{R(0), first, last, R(0)};
  }

  /// Computes x of every row from what `reduce<true>` kept, as rows.kept_pivot(k).
  template <class Index, class Rows>
  static TRIDIA_FN auto expand(Index n, Rows& rows, const unknowns& e, const middle& m) {
    const Index n_left = left_half(n), n_right = n - n_left;
    if (n_right == 0) {
      expansion<Index, Rows> all(rows, 0, n, e);
      for (Index k = n - 1; k-- > 1;) all.put(k);
      return all.finish();
    }
    unknowns of_left, of_right;
    split(m, e, of_left, of_right);
    expansion<Index, Rows> left(rows, 0, n_left, of_left), right(rows, n_left, n_right, of_right);
    if (n_right < n_left) left.put(n_left - 2);
    for (Index k = n_right - 1; k-- > 1;) left.put(k), right.put(k);
    const auto sound = left.finish();
    return right.finish() && sound;
  }

 private:
  /// Holds row k of A and its right-hand side, times the power of two that brings its largest entry
  /// into [1, 2).
  struct unit_row : row<V> {
    R rhs;
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

  /// Returns the number of rows of a chunk's first half; all rows where a half would be too short
  /// to have columns of its own.
  template <class Index>
  static TRIDIA_FN Index left_half(Index n) {
    constexpr Index least = 6;
    return n < least ? n : n - n / 2;
  }

  /// Reduces a chunk, or half of one, of three rows or more, to equations. Rows count from its
  /// first row.
  template <bool Keep, class Index, class Rows>
  class reduction {
   public:
    TRIDIA_FN reduction(Rows& rows, Index first, Index n)
        : rows_(rows), first_(first), n_(n), in_(rows, first + 2) {
      const unit_row r0(rows, first), r1(rows, first + 1);
      q_ = {r0.sub, r0.diag, r0.sup, V(0), r0.rhs};
      p_ = {V(0), r1.sub, r1.diag, r1.sup, r1.rhs};
    }
    /// Row k enters, column k - 1 leaves. The row after it is fetched before anything is kept, so
    /// that it need not wait for that.
    TRIDIA_FN void step(Index k) {
      const auto carried = cross_elimination<V>::sparing(p_.last, q_.last);
      const equation c = larger_of(carried, p_, q_);
      q_ = {without_subnormals(carried.cross(p_.before, q_.before)),
            without_subnormals(carried.cross(p_.first, q_.first)),
            without_subnormals(carried.cross_first(p_.after)), V(0), carried.cross(p_.rhs, q_.rhs)};
      const cross_elimination<V> entering(c.last, in_.sub);
      p_ = {without_subnormals(entering.cross_first(c.before)),
            without_subnormals(entering.cross_first(c.first)), entering.cross(c.after, in_.diag),
            entering.cross_second(in_.sup), entering.cross(c.rhs, in_.rhs)};
      const V w = entering.pivot_reciprocal();
      const pivot_row pivot{entering.larger(c.after, in_.diag) * w,
                            entering.larger(c.before, in_.sup) * w,
                            entering.first_if_larger(c.first) * w,
                            entering.larger(c.rhs, in_.rhs) * w, entering.second()};
      if (k + 1 < n_) in_ = unit_row(rows_, first_ + k + 1);
      if constexpr (Keep) {
        rows_.keep_pivot(first_ + k - 1, pivot);
      } else {
        p_.rhs = add_mul(p_.rhs, w, R(0));  // NaN if w is
      }
    }
    TRIDIA_FN equations result() const { return {p_, q_}; }

   private:
    Rows& rows_;
    Index first_, n_;
    equation p_, q_;  // `last` and `after` are this column and the next, where q_ has none
    unit_row in_;
  };

  /// Expands a chunk, or half of one, to x. Rows count from its first row.
  template <class Index, class Rows>
  class expansion {
   public:
    TRIDIA_FN expansion(Rows& rows, Index first, Index n, const unknowns& e)
        : rows_(rows), first_(first), n_(n), e_(e), x1_(e.last), x2_(e.after) {}
    /// Computes x of row k, from that of the row after it.
    TRIDIA_FN void put(Index k) {
      const pivot_row p = rows_.kept_pivot(first_ + k);
      const R other = select(p.entered, x2_, e_.before);
      const R known = sub_mul(sub_mul(p.rhs, p.first, e_.first), p.other, other);
      x2_ = x1_;
      rows_.put(first_ + k, x1_ = sub_mul(known, p.next, x1_));
    }
    /// Computes the interface unknowns; returns where all x are finite.
    TRIDIA_FN auto finish() {
      rows_.put(first_ + n_ - 1, e_.last);
      if (n_ > 1) rows_.put(first_, e_.first);
      return is_finite(x1_) && is_finite(e_.first) && is_finite(e_.last);
    }

   private:
    Rows& rows_;
    Index first_, n_;
    unknowns e_;
    R x1_, x2_;
  };

  static TRIDIA_FN equation larger_of(const cross_elimination<V>& c, const equation& x,
                                      const equation& y) {
    return x.with(y, [&](const auto& of_x, const auto& of_y) { return c.larger(of_x, of_y); });
  }
  static TRIDIA_FN R at(const equation& e, const unknowns& x) {
    const R inside = sub_mul(sub_mul(e.rhs, e.first, x.first), e.last, x.last);
    return sub_mul(sub_mul(inside, e.before, x.before), e.after, x.after);
  }
};
template <class V>
using pivot_row_of = typename chunk<V, pivoting::partial>::pivot_row;

}  // namespace tridia::core
