// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/value.hpp"

// 1 / a for long chains of operations that wait for each other. A division branches for arguments
// near the ends of the range, and nothing of the code after a branch overlaps with that before it.
namespace tridia::core {

/// To about a unit in the last place.
TRIDIA_FN float quick_reciprocal(float a) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return 1.0f / a;
#endif
}

/// Likewise; on a GPU NaN where a or 1 / a is not a normal number.
TRIDIA_FN double quick_reciprocal(double a) {
#if defined(__CUDA_ARCH__)
  double r;  // to 20 bits, of the upper half; 0 instead of what is less than normal
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  const int high = __double2hiint(r);
  r = __hiloint2double((high & 0x7fffffff) == 0 ? 0x7ff80000 : high, 0);
  const double e = __fma_rn(-a, r, 1.0);
  return __fma_rn(r, __fma_rn(e, e, e), r);  // 1 / a = r / (1 - e)
#else
  return 1.0 / a;
#endif
}

template <class R>
TRIDIA_FN complex<R> quick_reciprocal(complex<R> a) {
  return reciprocal_by(a, [](R r) { return quick_reciprocal(r); });
}

}  // namespace tridia::core
