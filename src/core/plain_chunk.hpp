// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/reciprocal.hpp"

// This file defines chunks (core/chunk.hpp) without pivoting.
namespace tridia::core {

/// Reduces rows of values V with right-hand sides R: of the type V, or several of it
/// (core/values.hpp).
template <class V, pivoting P, class R = V>
struct chunk;

/// Reduces a chunk without interchanges: by Thomas, with a column for x before the chunk.
/// `monitor(v)` receives every number whose size bounds the growth of rounding errors, and
/// `monitor.pivot(w)`, if there is such a member, every reciprocal of a pivot of the interface.
template <class V, class R>
struct chunk<V, pivoting::none, R> {
  /// Holds the equation x = rhs - before x_before - after x_after.
  struct equation {
    V before, after;
    R rhs;
    TRIDIA_FN R at(const R& x_before, const R& x_after) const {
      return sub_mul(sub_mul(rhs, before, x_before), after, x_after);
    }
    template <class F>
    TRIDIA_FN equation map(F f) const {
      return {f(before), f(after), f(rhs)};
    }
  };
  /// Holds the equations of the chunk's first x, from the x before the chunk and its last x; and of
  /// its last x, from the x before and after the chunk.
  struct equations {
    equation first, last;
    template <class F>
    TRIDIA_FN equations map(F f) const {
      return {first.map(f), last.map(f)};
    }
  };
  struct unknowns {
    R before, last, after;
    template <class F>
    TRIDIA_FN unknowns map(F f) const {
      return {f(before), f(last), f(after)};
    }
  };

  template <bool Keep, class Index, class Rows, class Monitor>
  static TRIDIA_FN equations reduce(Index n, Rows& rows, Monitor&& monitor) {
    row<V> in = rows.get(0);
    R rhs = rows.rhs(0);
    const V w = quick_reciprocal(in.diag);
    equation here{in.sub * w, in.sup * w, rhs * w};
    equation first{V(0), -V(1), R(0)};
    const auto next = [&](Index k) {
      if constexpr (Keep) rows.keep(k - 1, here.after, here.before, here.rhs);
      first = {sub_mul(first.before, first.after, here.before),
               without_subnormals(-(first.after * here.after)),
               sub_mul(first.rhs, first.after, here.rhs)};
      monitor(here.after);
      monitor(first.after);
      const V v = quick_reciprocal(sub_mul(in.diag, in.sub, here.after));
      here = {without_subnormals((in.sub * v) * -here.before), in.sup * v,
              sub_mul(rhs, in.sub, here.rhs) * v};
    };
    if (n > 1) {
      row<V> ahead = rows.get(1);
      R rhs_ahead = rows.rhs(1);
      for (Index k = 1; k < n - 1; ++k) {
        in = ahead, rhs = rhs_ahead;
        ahead = rows.get(k + 1), rhs_ahead = rows.rhs(k + 1);
        next(k);
      }
      in = ahead, rhs = rhs_ahead;
      next(n - 1);
    }
    if constexpr (Keep) rows.keep(n - 1, here.after, here.before, here.rhs);
    monitor(here.before), monitor(here.after), monitor(first.before);
    return {first, here};
  }

  /// Returns a chunk's last x in terms of its neighbours' last x: a row of the interface system.
  template <class Monitor>
  static TRIDIA_FN equation link(const equation& last, const equation& next_first,
                                 Monitor&& monitor) {
    const V w = pivot_reciprocal(sub_mul(V(1), last.after, next_first.before), monitor);
    const V h = last.after * w;
    const equation e{last.before * w, h * -next_first.after,
                     sub_mul(last.rhs * w, h, next_first.rhs)};
    monitor(e.before), monitor(e.after);
    return e;
  }

  /// Does a step of PCR: substitutes the equations of the two rows that this one refers to. Where
  /// there is no such row (`has_left`, `has_right`), it still refers to x outside.
  template <class Monitor>
  static TRIDIA_FN equation combine(const equation& e, bool has_left, const equation& left,
                                    bool has_right, const equation& right, Monitor&& monitor) {
    const V a = has_left ? e.before : V(0), c = has_right ? e.after : V(0);
    const V w = pivot_reciprocal(sub_mul(sub_mul(V(1), a, left.after), c, right.before), monitor);
    const equation r{(e.before * w) * (has_left ? -left.before : V(1)),
                     (e.after * w) * (has_right ? -right.after : V(1)),
                     sub_mul(sub_mul(e.rhs, a, left.rhs), c, right.rhs) * w};
    monitor(r.before), monitor(r.after);
    return r;
  }

  /// Returns the first x of several chunks: that of the first chunk, whose last x is known from the
  /// last x of all.
  static TRIDIA_FN equation join_first(const equation& first, const equation& its_last) {
    return {sub_mul(first.before, first.after, its_last.before), first.after * -its_last.after,
            sub_mul(first.rhs, first.after, its_last.rhs)};
  }
  /// Returns the last x of several chunks: that of the last chunk, where that of the one before it
  /// is known.
  template <class Monitor>
  static TRIDIA_FN equation join_last(const equation& last, const equation& one_before,
                                      Monitor&& monitor) {
    const V w = pivot_reciprocal(sub_mul(V(1), last.before, one_before.after), monitor);
    const equation e{(last.before * w) * -one_before.before, last.after * w,
                     sub_mul(last.rhs, last.before, one_before.rhs) * w};
    monitor(e.before), monitor(e.after);
    return e;
  }

  template <boundary B>
  static TRIDIA_FN unknowns close(const equations& e) {
    if constexpr (B == boundary::regular) return {R(0), e.last.rhs, R(0)};
    // In a periodic system the last x is before the first, and the first after the last.
    const V first = e.first.before + e.first.after;
    const R last = sub_mul(e.last.rhs, e.last.after, e.first.rhs) *
                   quick_reciprocal(sub_mul(V(1) + e.last.before, e.last.after, first));
    return {last, last, sub_mul(e.first.rhs, first, last)};
  }

  /// This is empty: only the rows go from `reduce` to `expand`.
  struct middle {};

  /// Computes x from what `reduce<true>` kept. Returns where all x are finite: one that is not
  /// spreads to the first row.
  template <class Index, class Rows>
  static TRIDIA_FN auto expand(Index n, Rows& rows, const unknowns& e, const middle& = {}) {
    R x = e.last;
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
  template <class Monitor>
  static TRIDIA_FN V pivot_reciprocal(const V& pivot, Monitor& monitor) {
    const V w = quick_reciprocal(pivot);
    if constexpr (requires { monitor.pivot(w); }) monitor.pivot(w);
    return w;
  }
};

}  // namespace tridia::core
