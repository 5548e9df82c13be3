// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "core/cross_elimination.hpp"

#include <limits>

// Where the couplings through a chunk have vanished, x on both sides of a border follows from one
// equation of each of the two chunks there, whatever all others are.
namespace tridia::cuda::segments {

using core::chunk, core::cross_elimination;

/// Holds an equation of a chunk's x at one of its ends and of x beyond: inner x_end + outer
/// x_beyond = rhs. It is NaN if x at the other end matters.
template <class V>
struct border_equation {
  V inner, outer, rhs;
};
template <class V>
struct border_equations {
  border_equation<V> first, last;
};

/// Derives the equations at the borders of a chunk from those that it was reduced to.
template <class V>
class border_reduction {
 public:
  using plain = typename chunk<V, pivoting::none>::equations;
  using pivoted = typename chunk<V, pivoting::partial>::equations;

  /// The equation of the other end is substituted before what is left is dropped: a large x there
  /// may count, however weak its coupling is.
  static TRIDIA_FN border_equations<V> at_borders(const plain& e) {
    const V one(1);
    const auto apart =
        core::both(is_lost(e.first.after, one, 0.25f), is_lost(e.last.before, one, 0.25f));
    const border_equation<V> first{one, core::sub_mul(e.first.before, e.first.after, e.last.before),
                                   core::sub_mul(e.first.rhs, e.first.after, e.last.rhs)};
    const border_equation<V> last{one, core::sub_mul(e.last.after, e.last.before, e.first.after),
                                  core::sub_mul(e.last.rhs, e.last.before, e.first.rhs)};
    return {known_if(apart, first), known_if(apart, last)};
  }
  static TRIDIA_FN border_equations<V> at_borders(const pivoted& e) {
    return {without_far(seen_from_first(e.a), seen_from_first(e.b)),
            without_far(seen_from_last(e.a), seen_from_last(e.b))};
  }

 private:
  static constexpr auto most_cancelled = typename core::value_traits<V>::real(4);
  using equation = typename chunk<V, pivoting::partial>::equation;
  /// Holds an equation as it is seen from one end of the chunk.
  struct view {
    V inner, outer, far_inner, far_outer, rhs;
  };
  static TRIDIA_FN view seen_from_first(const equation& e) {
    return {e.first, e.before, e.last, e.after, e.rhs};
  }
  static TRIDIA_FN view seen_from_last(const equation& e) {
    return {e.last, e.after, e.first, e.before, e.rhs};
  }

  /// Returns whether a coefficient is below so many epsilons of another one.
  static TRIDIA_FN auto is_lost(const V& v, const V& beside, float epsilons) {
    using real = typename core::value_traits<V>::real;
    const real most = real(epsilons) * std::numeric_limits<real>::epsilon();
    return core::magnitude(v) <= most * core::magnitude(beside);
  }
  template <class Mask>
  static TRIDIA_FN border_equation<V> known_if(Mask known, const border_equation<V>& e) {
    const V none = core::not_a_number<V>();
    return {core::select(known, e.inner, none), core::select(known, e.outer, none),
            core::select(known, e.rhs, none)};
  }
  /// Eliminates x at the far end, and x beyond it, which one step does where both ends are apart:
  /// what is left of the latter is then no more than the rounding errors of that step. Coefficients
  /// must not cancel in it: x at both ends, each found from an equation of its own, would solve
  /// neither of the two that these come from.
  static TRIDIA_FN border_equation<V> without_far(const view& a, const view& b) {
    const auto far = cross_elimination<V>::sparing(a.far_inner, b.far_inner);
    const V left = far.cross(a.far_outer, b.far_outer);
    const border_equation<V> e{far.cross(a.inner, b.inner), far.cross(a.outer, b.outer),
                               far.cross(a.rhs, b.rhs)};
    const V beside =
        core::select(core::magnitude(e.outer) > core::magnitude(e.inner), e.outer, e.inner);
    // One of e's coefficients and this is the sum of what they were made of, but for signs.
    const auto most = core::magnitude(beside) * most_cancelled;
    const auto remains = core::both(core::magnitude(far.cross(-a.inner, b.inner)) <= most,
                                    core::magnitude(far.cross(-a.outer, b.outer)) <= most);
    return known_if(core::both(is_lost(left, beside, 2), remains), e);
  }
};

/// Bounds the determinant of the two equations at a border, relative to their sizes.
inline constexpr float least_determinant = 1.f / 32;

/// Finds x on both sides of a border from the equations there. Returns false where they are nearly
/// parallel: x would differ too much from what all equations together make of it.
template <class V>
TRIDIA_FN auto meet(const border_equation<V>& left, const border_equation<V>& right, V& x_left,
                    V& x_right) {
  using real = typename core::value_traits<V>::real;
  const cross_elimination<V> c(left.inner, right.outer);
  const V d = c.cross(left.outer, right.inner), pivot = c.larger(left.inner, right.outer);
  x_right = c.cross(left.rhs, right.rhs) * core::moderate_reciprocal(d);
  x_left =
      core::sub_mul(c.larger(left.rhs, right.rhs), c.larger(left.outer, right.inner), x_right) *
      c.pivot_reciprocal();
  const auto of_left = core::magnitude(left.inner) + core::magnitude(left.outer);
  const auto of_right = core::magnitude(right.inner) + core::magnitude(right.outer);
  return real(least_determinant) * of_left * of_right <=
         core::magnitude(d) * core::magnitude(pivot);
}

}  // namespace tridia::cuda::segments
