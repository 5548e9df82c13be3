// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

// What the arithmetic asks of a value V beside + - *: here for float and double; complex.hpp and
// the CPU's vectors of systems (cpu/lanes.hpp) add theirs. A comparison gives a mask_t<V>:
// bool for a scalar, one bool a system for a vector.
namespace tridia::core {

template <class V>
struct value_traits {
  using mask = bool;
  using real = V;
};
template <class V>
using mask_t = typename value_traits<V>::mask;

TRIDIA_FN float select(bool m, float a, float b) { return m ? a : b; }
TRIDIA_FN double select(bool m, double a, double b) { return m ? a : b; }

/// a + b c, rounded once on a GPU. Said outright: kernels are compiled with -fmad=false, since two
/// of them that were left to contract as they like might round one system differently.
TRIDIA_FN float add_mul(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(b, c, a);
#else
  return a + b * c;
#endif
}
TRIDIA_FN double add_mul(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(b, c, a);
#else
  return a + b * c;
#endif
}
/// a - b c, likewise.
TRIDIA_FN float sub_mul(float a, float b, float c) { return add_mul(a, -b, c); }
TRIDIA_FN double sub_mul(double a, double b, double c) { return add_mul(a, -b, c); }

TRIDIA_FN float reciprocal(float a) { return 1.0f / a; }
TRIDIA_FN double reciprocal(double a) { return 1.0 / a; }

/// |a|; for complex values |re| + |im|, as LAPACK's CABS1.
TRIDIA_FN float magnitude(float a) { return ::fabsf(a); }
TRIDIA_FN double magnitude(double a) { return ::fabs(a); }

TRIDIA_FN bool is_zero(float a) { return a == 0.0f; }
TRIDIA_FN bool is_zero(double a) { return a == 0.0; }

/// Neither infinite nor NaN.
TRIDIA_FN bool is_finite(float a) { return a - a == 0.0f; }
TRIDIA_FN bool is_finite(double a) { return a - a == 0.0; }

/// A NaN; both parts of a complex number.
template <class V>
TRIDIA_FN V not_a_number() {
  using R = typename value_traits<V>::real;
  constexpr R nan = std::numeric_limits<R>::quiet_NaN();
  if constexpr (std::is_same_v<V, R>) {
    return nan;
  } else {
    return {nan, nan};
  }
}

TRIDIA_FN float conjugate(float a) { return a; }
TRIDIA_FN double conjugate(double a) { return a; }

/// A mask as a number that can be kept among values, and back.
template <class V>
TRIDIA_FN V from_mask(bool m) {
  return V(m ? 1 : 0);
}
TRIDIA_FN bool to_mask(float a) { return a != 0.0f; }
TRIDIA_FN bool to_mask(double a) { return a != 0.0; }

template <class V>
TRIDIA_FN void swap_if(mask_t<V> m, V& a, V& b) {
  const V t = select(m, b, a);
  b = select(m, a, b);
  a = t;
}

TRIDIA_FN bool all_of(bool m) { return m; }
/// Without a branch.
TRIDIA_FN bool both(bool a, bool b) { return static_cast<bool>(a & b); }
TRIDIA_FN bool either(bool a, bool b) { return static_cast<bool>(a | b); }

/// Calls f(lane) for each lane of a mask that is set; a scalar is lane 0.
template <class F>
TRIDIA_FN void for_each_set(bool m, F f) {
  if (m) f(0);
}

}  // namespace tridia::core
