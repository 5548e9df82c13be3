// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::cuda {

/// Calls f(i) for i from 0 to count - 1, shared out among the `threads` of the block. Not unrolled:
/// there are mostly fewer of them than threads, and to unroll takes a division beforehand.
template <class F>
__device__ __forceinline__ void share(int count, int threads, F f) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) f(i);
}

}  // namespace tridia::cuda
