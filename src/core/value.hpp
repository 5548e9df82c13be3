// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <type_traits>

// These are the operations that the arithmetic needs of a value V in addition to + - *, for float
// and double; complex.hpp and the CPU's vectors of systems (cpu/lanes.hpp) add theirs. A comparison
// gives a mask_t<V>: bool for a scalar, one bool per system for a vector.
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

/// Returns a + b c, rounded once on a GPU. The fused operation is explicit: kernels are compiled
/// with -fmad=false, since two kernels that the compiler contracts freely might round one system
/// differently.
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
/// Returns a - b c, rounded as by add_mul.
TRIDIA_FN float sub_mul(float a, float b, float c) { return add_mul(a, -b, c); }
TRIDIA_FN double sub_mul(double a, double b, double c) { return add_mul(a, -b, c); }

TRIDIA_FN float reciprocal(float a) { return 1.0f / a; }
TRIDIA_FN double reciprocal(double a) { return 1.0 / a; }

/// Returns |a|; for complex values |re| + |im|, as LAPACK's CABS1.
TRIDIA_FN float magnitude(float a) { return ::fabsf(a); }
TRIDIA_FN double magnitude(double a) { return ::fabs(a); }

TRIDIA_FN bool is_zero(float a) { return a == 0.0f; }
TRIDIA_FN bool is_zero(double a) { return a == 0.0; }

/// Returns whether a is neither infinite nor NaN.
TRIDIA_FN bool is_finite(float a) { return a - a == 0.0f; }
TRIDIA_FN bool is_finite(double a) { return a - a == 0.0; }

/// Returns NaN; for a complex number both parts are NaN.
template <class V>
TRIDIA_FN V not_a_number() {
  using R = typename value_traits<V>::real;
  constexpr R nan = static_cast<R>(__builtin_nan(""));
  if constexpr (std::is_same_v<V, R>) {
    return nan;
  } else {
    return {nan, nan};
  }
}

TRIDIA_FN float conjugate(float a) { return a; }
TRIDIA_FN double conjugate(double a) { return a; }

/// Converts a mask to a number that can be kept among values, and back.
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
/// Returns a and b, without a branch.
TRIDIA_FN bool both(bool a, bool b) { return static_cast<bool>(a & b); }
TRIDIA_FN bool either(bool a, bool b) { return static_cast<bool>(a | b); }

/// Calls f(lane) for each lane of a mask that is set; a scalar is lane 0.
template <class F>
TRIDIA_FN void for_each_set(bool m, F f) {
  if (m) f(0);
}

}  // namespace tridia::core
