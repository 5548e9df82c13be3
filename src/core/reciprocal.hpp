// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/value.hpp"

#include <cfloat>
#include <cmath>

// These functions compute 1 / a for long chains of dependent operations. A division branches for
// arguments near the ends of the range, and no code after a branch overlaps with that before it.
namespace tridia::core {

/// Returns whether a is zero or subnormal. For NaN the result is unspecified.
TRIDIA_FN bool is_tiny(float a) { return !(::fabsf(a) >= FLT_MIN); }
TRIDIA_FN bool is_tiny(double a) {
#if defined(__CUDA_ARCH__)  // by its upper half
  return (__double2hiint(a) & 0x7fffffff) < 0x00100000;
#else
  return !(::fabs(a) >= DBL_MIN);
#endif
}
/// Returns whether the larger part of a, by which the reciprocal scales, is tiny, or might become
/// so on the way.
template <class R>
TRIDIA_FN mask_t<R> is_tiny(complex<R> a) {
  const R re = magnitude(a.re), im = magnitude(a.im);
  return is_tiny(select(re > im, re, im) * reciprocal(R(2)));
}

/// Returns a, or 0 where it is subnormal, on a CPU: there every operation on subnormal numbers
/// takes a hundred cycles, and numbers that shrink from row to row end among them. A GPU is not
/// slower.
TRIDIA_FN float without_subnormals(float a) {
#if defined(__CUDA_ARCH__)
  return a;
#else
  return ::fabsf(a) < FLT_MIN ? 0.0f : a;
#endif
}
TRIDIA_FN double without_subnormals(double a) {
#if defined(__CUDA_ARCH__)
  return a;
#else
  return ::fabs(a) < DBL_MIN ? 0.0 : a;
#endif
}
template <class R>
TRIDIA_FN complex<R> without_subnormals(const complex<R>& a) {
  return {without_subnormals(a.re), without_subnormals(a.im)};
}

/// Returns about 1 / a, of either sign, for a use where any number near 1 / a will do; a subnormal
/// a is taken for 0. On a GPU it has 20 bits.
TRIDIA_FN float rough_reciprocal(float a) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return 1.0f / (is_tiny(a) ? 0.0f : a);
#endif
}
TRIDIA_FN double rough_reciprocal(double a) {
#if defined(__CUDA_ARCH__)
  double r;  // of the upper half
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  return __hiloint2double(__double2hiint(r), 0);
#else
  return 1.0 / (is_tiny(a) ? 0.0 : a);
#endif
}
template <class R>
TRIDIA_FN complex<R> rough_reciprocal(complex<R> a) {
  return reciprocal_by(a, [](R r) { return rough_reciprocal(r); });
}

#if defined(__CUDA_ARCH__)
/// Returns 1 / a, refined from the rough reciprocal r, if r is `good`; else NaN.
__device__ __forceinline__ double refined_reciprocal(double a, double r, bool good) {
  r = __hiloint2double(good ? __double2hiint(r) : 0x7ff80000, 0);
  const double e = __fma_rn(-a, r, 1.0);
  return __fma_rn(r, __fma_rn(e, e, e), r);  // 1 / a = r / (1 - e)
}
#endif

/// Returns 1 / a to about a unit in the last place.
TRIDIA_FN float quick_reciprocal(float a) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return 1.0f / a;
#endif
}
/// Returns 1 / a to about a unit in the last place; on a GPU NaN where a or 1 / a is not a normal
/// number.
TRIDIA_FN double quick_reciprocal(double a) {
#if defined(__CUDA_ARCH__)
  const double r = rough_reciprocal(a);
  return refined_reciprocal(a, r, (__double2hiint(r) & 0x7fffffff) != 0);
#else
  return 1.0 / a;
#endif
}
template <class R>
TRIDIA_FN complex<R> quick_reciprocal(complex<R> a) {
  return reciprocal_by(a, [](R r) { return quick_reciprocal(r); });
}

/// Returns the largest reciprocal of a number beside which subnormal numbers are rounded away.
TRIDIA_FN constexpr float most_moderate(float) { return FLT_EPSILON / 2 / FLT_MIN; }
TRIDIA_FN constexpr double most_moderate(double) { return DBL_EPSILON / 2 / DBL_MIN; }
/// Returns 1 / a to about a unit in the last place, if it is at most `most_moderate`, and normal;
/// or else NaN.
TRIDIA_FN float moderate_reciprocal(float a) {
  const float r = rough_reciprocal(a);
  return ::fabsf(r) >= FLT_MIN && ::fabsf(r) <= most_moderate(r) ? r : NAN;
}
TRIDIA_FN double moderate_reciprocal(double a) {
  const double r = rough_reciprocal(a);
#if defined(__CUDA_ARCH__)
  const int high = __double2hiint(r) & 0x7fffffff;
  return refined_reciprocal(a, r, static_cast<unsigned>(high - 0x00100000) < 0x7c800000u);
#else
  return ::fabs(r) >= DBL_MIN && ::fabs(r) <= most_moderate(r) ? r : NAN;
#endif
}
template <class R>
TRIDIA_FN complex<R> moderate_reciprocal(complex<R> a) {
  return reciprocal_by(a, [](R r) { return moderate_reciprocal(r); });
}

}  // namespace tridia::core
