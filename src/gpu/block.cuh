// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The threads of a block do these operations together.
namespace tridia::gpu {

/// Calls f(i) for i from 0 to count - 1, distributed over the `threads` of the block. The loop is
/// not unrolled: there are mostly fewer i than threads, and unrolling takes a division beforehand.
template <class F>
__device__ __forceinline__ void block_for(int count, int threads, F f) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) f(i);
}

/// Waits at a barrier of the first `threads` threads of the block, whole warps.
__device__ __forceinline__ void meet_threads(int threads) {
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

}  // namespace tridia::gpu
