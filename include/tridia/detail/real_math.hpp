// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/host_device.hpp"

#include <cmath>
#include <type_traits>

// This file has what tridia/math.hpp does with numbers; simd_math.hpp and complex_math.hpp have it
// for vectors and for complex numbers.
namespace tridia::detail {

/// Names the value that an argument stands for: lane references (tridia/detail/lanes_point.hpp)
/// stand for another one than themselves.
template <class A>
struct value_named {
  using type = A;
};
template <class A>
using value_t = typename value_named<A>::type;
template <class A, class B>
using common_value = std::common_type_t<value_t<A>, value_t<B>>;
template <class A>
TRIDIA_FN value_t<A> value_of(const A& a) {
  return a;
}

/// Converts a to a value V: a number of any type to one in each lane.
template <class V, class A>
TRIDIA_FN V as(const A& a) {
  if constexpr (std::is_arithmetic_v<A> && requires { typename V::number; }) {
    return V(static_cast<typename V::number>(a));
  } else {
    return static_cast<V>(a);
  }
}

/// Names the value that a mask chooses: a number stands for one in each of its lanes.
template <class Mask, class V>
struct selected {
  using type = V;
};
template <class Mask, class V>
using selected_t = typename selected<Mask, V>::type;

template <class V>
TRIDIA_FN V chosen(bool m, const V& a, const V& b) {
  return m ? a : b;
}
TRIDIA_FN float absolute(float a) { return ::fabsf(a); }
TRIDIA_FN double absolute(double a) { return ::fabs(a); }
TRIDIA_FN float square_root(float a) { return ::sqrtf(a); }
TRIDIA_FN double square_root(double a) { return ::sqrt(a); }
TRIDIA_FN float exponential(float a) { return ::expf(a); }
TRIDIA_FN double exponential(double a) { return ::exp(a); }
TRIDIA_FN float sine(float a) { return ::sinf(a); }
TRIDIA_FN double sine(double a) { return ::sin(a); }
TRIDIA_FN float cosine(float a) { return ::cosf(a); }
TRIDIA_FN double cosine(double a) { return ::cos(a); }
TRIDIA_FN float hypotenuse(float a, float b) { return ::hypotf(a, b); }
TRIDIA_FN double hypotenuse(double a, double b) { return ::hypot(a, b); }

}  // namespace tridia::detail
