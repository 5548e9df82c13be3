// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/real_math.hpp"
#include "tridia/device/detail/core/complex.hpp"
#if !defined(__CUDACC__)
#include "tridia/detail/simd_math.hpp"
#endif

// This file has what tridia/math.hpp does with complex numbers.
namespace tridia::detail {

template <class R>
TRIDIA_FN R absolute(const core::complex<R>& a) {
  return hypotenuse(a.re, a.im);
}
/// Takes the part that no cancellation spoils from the modulus, and the other one from it.
template <class R>
TRIDIA_FN core::complex<R> square_root(const core::complex<R>& a) {
  const R half(0.5f), zero(0.0f);
  const R larger = square_root(half * absolute(a) + half * absolute(a.re));
  const R smaller = chosen(larger == zero, zero, half * absolute(a.im) / larger);
  const R im = chosen(a.re < zero, larger, smaller);
  return {chosen(a.re < zero, smaller, larger), chosen(a.im < zero, -im, im)};
}
template <class R>
TRIDIA_FN core::complex<R> exponential(const core::complex<R>& a) {
  const R size = exponential(a.re);
  return {size * cosine(a.im), size * sine(a.im)};
}

}  // namespace tridia::detail
