// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/complex_math.hpp"

/// Marks a function that serves inside a kernel and on a CPU. It is always inlined, so that a value
/// of several lanes stays in registers.
#define TRIDIA_HOST_DEVICE TRIDIA_FN

/// These functions take every value that rows are made from: float, double, `complex` of these, and
/// `simd` of several lanes; in device code the first three. Where two arguments differ in type, a
/// number stands for one in each lane.
namespace tridia::math {

/// Returns a where the mask is set, and b elsewhere: both are computed. A mask is a bool, or what a
/// comparison of `simd` gives.
template <class Mask, class A, class B>
TRIDIA_FN auto select(const Mask& mask, const A& a, const B& b) {
  using V = detail::selected_t<Mask, detail::common_value<A, B>>;
  return detail::chosen(mask, detail::as<V>(a), detail::as<V>(b));
}

/// Return whether a mask is set in all of its lanes, or in any.
template <class Mask>
TRIDIA_FN bool all(const Mask& mask) {
  return all_of(mask);
}
TRIDIA_FN bool all(bool mask) { return mask; }
template <class Mask>
TRIDIA_FN bool any(const Mask& mask) {
  return !all_of(!mask);
}
TRIDIA_FN bool any(bool mask) { return mask; }

/// Return the smaller or the larger of two real numbers; a where either is NaN.
template <class A, class B>
TRIDIA_FN auto min(const A& a, const B& b) {
  using V = detail::common_value<A, B>;
  const V x = detail::as<V>(a), y = detail::as<V>(b);
  return detail::chosen(y < x, y, x);
}
template <class A, class B>
TRIDIA_FN auto max(const A& a, const B& b) {
  using V = detail::common_value<A, B>;
  const V x = detail::as<V>(a), y = detail::as<V>(b);
  return detail::chosen(x < y, y, x);
}

/// Returns |a|, a real number; of a complex one the modulus.
template <class V>
TRIDIA_FN auto abs(const V& a) {
  return detail::absolute(detail::value_of(a));
}
/// Returns the square root, correctly rounded for real numbers; of a complex one the root whose
/// real part is not negative, to some units in the last place.
template <class V>
TRIDIA_FN auto sqrt(const V& a) {
  return detail::square_root(detail::value_of(a));
}
/// Returns e^a. On a CPU every lane is `std::exp`, so the error is that of the C library (below one
/// unit in the last place with glibc); on a GPU it is that of CUDA's `exp` (one unit) and `expf`
/// (two).
template <class V>
TRIDIA_FN auto exp(const V& a) {
  return detail::exponential(detail::value_of(a));
}

}  // namespace tridia::math
