// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/solver/cuda/partition/levels.cuh"

namespace tridia::device::detail {

/// Shares the threads of a block, or of one warp, out among its lines.
template <int ThreadsALine, int Lines>
struct thread_group {
  static constexpr int threads = ThreadsALine * Lines, warps = threads / gpu::warp_size;
  static constexpr bool in_warp = ThreadsALine <= gpu::warp_size;
  static_assert(ThreadsALine >= 1 && Lines >= 1 && threads <= 1024);
  static_assert(in_warp ? (ThreadsALine & (ThreadsALine - 1)) == 0
                        : ThreadsALine % gpu::warp_size == 0,
                "ThreadsALine must be a power of two up to 32, or a multiple of 32");
  static_assert(threads % gpu::warp_size == 0, "the lines of a block must take whole warps");

  struct memory {
    int any[in_warp || Lines == 1 ? 1 : Lines];
  };

  static __device__ __forceinline__ int thread() { return static_cast<int>(threadIdx.x) % threads; }
  static __device__ __forceinline__ int line() { return thread() / ThreadsALine; }
  /// Returns the number of this thread's chunk in its line.
  static __device__ __forceinline__ int chunk() { return thread() % ThreadsALine; }

  /// Returns the place of this thread's chunk where lines have so many chunks.
  static __device__ __forceinline__ cuda::chunk_place place(int chunks) {
    const int warp = in_warp ? 0 : chunk() / gpu::warp_size;
    const int lane = in_warp ? chunk() : chunk() % gpu::warp_size;
    const int count = in_warp ? chunks : max(min(chunks - warp * gpu::warp_size, 32), 0);
    const int in_line = in_warp ? 1 : (chunks + gpu::warp_size - 1) / gpu::warp_size;
    return {line(),         chunk(), lane, lane < count ? lane : -1, count, warp, in_line,
            gpu::warp_size, 0,       1};
  }

  /// Returns whether `mine` is true in any thread of this thread's line, or of all lines that are
  /// solved together. Called by all of these threads.
  static __device__ __forceinline__ bool any_of_line(bool mine, memory& m) {
    if constexpr (in_warp) {
      const unsigned all = __ballot_sync(gpu::whole_warp, mine);
      const unsigned every = gpu::whole_warp >> (gpu::warp_size - ThreadsALine);
      return (all >> (thread() % gpu::warp_size / ThreadsALine * ThreadsALine) & every) != 0;
    } else if constexpr (Lines == 1) {
      return __syncthreads_or(mine) != 0;
    } else {
      if (chunk() == 0) m.any[line()] = 0;
      __syncthreads();
      if (mine) m.any[line()] = 1;
      __syncthreads();
      const bool any = m.any[line()] != 0;
      __syncthreads();
      return any;
    }
  }
  static __device__ __forceinline__ bool any_together(bool mine) {
    if constexpr (in_warp) return __any_sync(gpu::whole_warp, mine) != 0;
    return __syncthreads_or(mine) != 0;
  }
};

}  // namespace tridia::device::detail
