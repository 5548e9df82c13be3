// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/real_math.hpp"
#include "tridia/simd.hpp"

#include <type_traits>

// This file has what tridia/math.hpp does with vectors, which device code has not.
namespace tridia::detail {

template <class R, int W, class V>
requires std::is_arithmetic_v<V>
struct selected<simd_mask<R, W>, V> {
  using type = simd<R, W>;
};
template <class R, int W>
TRIDIA_FN simd<R, W> chosen(const simd_mask<R, W>& m, const simd<R, W>& a, const simd<R, W>& b) {
  return select(m, a, b);
}
template <class R, int W>
TRIDIA_FN core::complex<simd<R, W>> chosen(const simd_mask<R, W>& m,
                                           const core::complex<simd<R, W>>& a,
                                           const core::complex<simd<R, W>>& b) {
  return {select(m, a.re, b.re), select(m, a.im, b.im)};
}

template <class R, int W>
TRIDIA_FN simd<R, W> absolute(const simd<R, W>& a) {
  return magnitude(a);
}
template <class R, int W>
TRIDIA_FN simd<R, W> square_root(const simd<R, W>& a) {
  return simd<R, W>::filled([&](int lane) { return square_root(a[lane]); });
}
template <class R, int W>
TRIDIA_FN simd<R, W> exponential(const simd<R, W>& a) {
  return simd<R, W>::filled([&](int lane) { return exponential(a[lane]); });
}
template <class R, int W>
TRIDIA_FN simd<R, W> sine(const simd<R, W>& a) {
  return simd<R, W>::filled([&](int lane) { return sine(a[lane]); });
}
template <class R, int W>
TRIDIA_FN simd<R, W> cosine(const simd<R, W>& a) {
  return simd<R, W>::filled([&](int lane) { return cosine(a[lane]); });
}
template <class R, int W>
TRIDIA_FN simd<R, W> hypotenuse(const simd<R, W>& a, const simd<R, W>& b) {
  return simd<R, W>::filled([&](int lane) { return hypotenuse(a[lane], b[lane]); });
}

}  // namespace tridia::detail
