// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/reciprocal.hpp"

namespace tridia::core {

/// Two rows X and Y with entries x and y in one column: a Y - b X has none there if a y = b x. With
/// a and b of which the larger is about 1 in size this is what elimination with the larger of x and
/// y as its pivot leaves, but for a factor, and neither is exchanged for the other nor divided by.
/// (Were the larger of complex ones only about 1, a row that crosses again and again would shrink
/// beside others, and be taken for the smaller one.) Members taking values of X and Y in another
/// column do what they say to these.
template <class V>
class cross_elimination {
 public:
  /// Means nothing where pivot_reciprocal is NaN.
  TRIDIA_FN cross_elimination(const V& x, const V& y)
      : second_(magnitude(y) > magnitude(x)), pivot_(larger(x, y)) {
    const V scale = rough_reciprocal(pivot_);
    a_ = x * scale, minus_b_ = -y * scale;
  }
  /// The same, but if x and y are zeros or less than normal they are nothing: X counts as larger,
  /// and a Y - b X is Y. For where the larger row crosses another one next, whose pivot_reciprocal
  /// is NaN unless these are nothing beside it.
  static TRIDIA_FN cross_elimination sparing(const V& x, const V& y) {
    cross_elimination c;
    c.second_ = both(magnitude(y) > magnitude(x), !is_tiny(y));
    c.pivot_ = c.larger(x, y);
    const mask_t<V> nothing = is_tiny(c.pivot_);
    const V scale = select(nothing, V(0), rough_reciprocal(c.pivot_));
    c.a_ = add_mul(select(nothing, V(1), V(0)), x, scale), c.minus_b_ = -y * scale;
    return c;
  }

  /// Whether y is the larger.
  TRIDIA_FN mask_t<V> second() const { return second_; }
  /// 1 / the larger of x and y, or NaN if they are zeros, or near the ends of the range.
  TRIDIA_FN V pivot_reciprocal() const { return moderate_reciprocal(pivot_); }
  TRIDIA_FN V larger(const V& x, const V& y) const { return select(second_, y, x); }
  TRIDIA_FN V first_if_larger(const V& x) const { return larger(x, V(0)); }
  TRIDIA_FN V second_if_larger(const V& y) const { return larger(V(0), y); }
  /// Of a Y - b X; of that where Y, or X, has zeros.
  TRIDIA_FN V cross(const V& x, const V& y) const { return add_mul(a_ * y, minus_b_, x); }
  TRIDIA_FN V cross_first(const V& x) const { return minus_b_ * x; }
  TRIDIA_FN V cross_second(const V& y) const { return a_ * y; }

 private:
  cross_elimination() = default;

  mask_t<V> second_;
  V pivot_, a_, minus_b_;
};

}  // namespace tridia::core
