// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace tridia_bench {

/// Raises `*worst`, which is 0 at first, to an error from 0 on; one that is not finite gives
/// infinity.
__device__ inline void raise_worst(double* worst, double error) {
  // Doubles from 0 on are ordered as their bits are.
  const long long bits = __double_as_longlong(error <= 1e300 ? error : HUGE_VAL);
  auto* const place = reinterpret_cast<long long*>(worst);
  if (bits > *static_cast<volatile long long*>(place)) atomicMax(place, bits);
}

}  // namespace tridia_bench
