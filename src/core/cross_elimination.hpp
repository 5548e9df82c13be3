// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/reciprocal.hpp"

#include <type_traits>

namespace tridia::core {

/// Eliminates a column from two rows X and Y with entries x and y there: a Y - b X has a zero in
/// the column if a y = b x. If the larger of a and b is about 1 in size, this is, up to a factor,
/// the result of elimination with the larger of x and y as its pivot, and the rows are neither
/// exchanged nor divided by the pivot. (Were the larger of complex a and b only about 1, a row that
/// crosses again and again would shrink beside others, and be taken for the smaller one.) Members
/// that take values of X and Y in another column apply the operation of their name to these; R is
/// V, or several of them (core/values.hpp).
///
/// The larger of real factors is 1 exactly. Rounded, x times 1 / x is 1 or just below, but hardly
/// ever above, where numbers lie twice as far apart: b / a would be too large by a sixth of the
/// unit roundoff on average. Where rows nearly add up to zero, as those of diffusion do, what is
/// left of each would be wrong in the same direction, and x have several times the error. (A GPU's
/// rough reciprocals of doubles lie on no side of that, and have too few digits for b alone.)
template <class V>
class cross_elimination {
 public:
  /// Finds a and b; they are meaningless where pivot_reciprocal is NaN.
  TRIDIA_FN cross_elimination(const V& x, const V& y)
      : second_(magnitude(y) > magnitude(x)), pivot_(larger(x, y)) {
    const V scale = rough_reciprocal(pivot_);
    a_ = x * scale, minus_b_ = -y * scale;
    make_larger_factor_one();
  }
  /// Finds a and b as the constructor does, but treats x and y as zeros if both are zero or
  /// subnormal: X counts as larger, and a Y - b X is Y. This form is for a larger row that crosses
  /// another one next: the pivot_reciprocal there is NaN unless x and y are negligible beside it.
  static TRIDIA_FN cross_elimination sparing(const V& x, const V& y) {
    cross_elimination c;
    c.second_ = both(magnitude(y) > magnitude(x), !is_tiny(y));
    c.pivot_ = c.larger(x, y);
    const mask_t<V> nothing = is_tiny(c.pivot_);
    const V scale = select(nothing, V(0), rough_reciprocal(c.pivot_));
    c.a_ = add_mul(select(nothing, V(1), V(0)), x, scale), c.minus_b_ = -y * scale;
    c.make_larger_factor_one();
    return c;
  }

  /// Returns whether y is the larger.
  TRIDIA_FN mask_t<V> second() const { return second_; }
  /// Returns 1 / the larger of x and y, or NaN if they are zeros, or near the ends of the range.
  TRIDIA_FN V pivot_reciprocal() const { return moderate_reciprocal(pivot_); }
  template <class R>
  TRIDIA_FN R larger(const R& x, const R& y) const {
    return select(second_, y, x);
  }
  TRIDIA_FN V first_if_larger(const V& x) const { return larger(x, V(0)); }
  TRIDIA_FN V second_if_larger(const V& y) const { return larger(V(0), y); }
  /// Returns the entry of a Y - b X; the next two return it where Y, or X, has zeros.
  template <class R>
  TRIDIA_FN R cross(const R& x, const R& y) const {
    return add_mul(a_ * y, minus_b_, x);
  }
  TRIDIA_FN V cross_first(const V& x) const { return minus_b_ * x; }
  TRIDIA_FN V cross_second(const V& y) const { return a_ * y; }

 private:
  cross_elimination() = default;

  TRIDIA_FN void make_larger_factor_one() {
#if defined(__CUDA_ARCH__)
    constexpr bool is_rough = std::is_same_v<V, double>;
#else
    constexpr bool is_rough = false;
#endif
    if constexpr (std::is_same_v<V, typename value_traits<V>::real> && !is_rough) {
      a_ = select(second_, a_, V(1)), minus_b_ = select(second_, V(-1), minus_b_);
    }
  }

  mask_t<V> second_;
  V pivot_, a_, minus_b_;
};

}  // namespace tridia::core
