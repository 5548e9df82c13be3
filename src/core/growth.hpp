// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"

// These bounds say how much rounding errors may grow where no rows are interchanged.
namespace tridia::core {

/// This is the growth that is accepted where pivots are only monitored, in units of the rounding
/// error.
inline constexpr int bounded_growth = 4;

/// Returns whether |a| is below the accepted growth; false for NaN.
template <class V>
TRIDIA_FN auto is_bounded(const V& a) {
  using real = typename value_traits<V>::real;
  return magnitude(a) <= real(bounded_growth);
}

/// Measures the cancellation in an equation of an interface: the product of the reciprocals of its
/// pivots, of those that are above 1. Every x of an interface is found by itself, so errors of that
/// size do not match each other and leave a residual, which elimination of row after row would not.
/// Half of the digits may be lost; n rows of (-1, 2, -1) come to about n.
class cancellation {
 public:
  template <class V>
  TRIDIA_FN void add(const V& reciprocal) {
    const auto size = static_cast<float>(magnitude(reciprocal));
    product_ *= size <= 1 ? 1 : size;  // NaN stays
  }
  template <class V>
  [[nodiscard]] TRIDIA_FN bool is_bounded() const {
    return product_ <= half_of_the_digits(typename value_traits<V>::real());
  }

 private:
  static TRIDIA_FN constexpr float half_of_the_digits(float) { return 1 << 12; }
  static TRIDIA_FN constexpr float half_of_the_digits(double) { return 1 << 26; }
  float product_ = 1;
};

/// Returns whether a row is so far from diagonal dominance that numbers will most likely grow if
/// elimination interchanges no rows.
template <class V>
TRIDIA_FN bool lacks_dominance(const row<V>& r) {
  using real = typename value_traits<V>::real;
  return real(1.25) * magnitude(r.diag) < magnitude(r.sub) + magnitude(r.sup);
}

}  // namespace tridia::core
