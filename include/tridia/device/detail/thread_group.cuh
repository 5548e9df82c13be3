// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/solver/cuda/partition/levels.cuh"
#include "tridia/device/row.cuh"

namespace tridia::device::detail {

/// Shares the threads of a block, or of one warp, out among its lines. A thread has rows of one
/// line, and takes part in solving the interface of one; these are the same line unless
/// neighbouring threads have neighbouring lines: an interface is solved by neighbours.
template <int ThreadsALine, int Lines, neighbours Order>
struct thread_group {
  static constexpr int threads_a_line = ThreadsALine, lines = Lines;
  static constexpr int threads = ThreadsALine * Lines, warps = threads / gpu::warp_size;
  static constexpr bool in_warp = ThreadsALine <= gpu::warp_size;
  static constexpr bool exchanges = Order == neighbours::lines && ThreadsALine > 1;
  /// Warps call `solve` when they like.
  static constexpr bool by_warp = threads == gpu::warp_size || (in_warp && !exchanges);
  static_assert(ThreadsALine >= 1 && Lines >= 1 && threads <= 1024);
  static_assert(in_warp ? (ThreadsALine & (ThreadsALine - 1)) == 0
                        : ThreadsALine % gpu::warp_size == 0,
                "ThreadsALine must be a power of two up to 32, or a multiple of 32");
  static_assert(threads % gpu::warp_size == 0, "the lines of a block must take whole warps");

  struct memory {
    int any[Lines];
  };

  static __device__ __forceinline__ int thread() { return static_cast<int>(threadIdx.x) % threads; }
  /// Return the line whose rows this thread has, and the number of its chunk there.
  static __device__ __forceinline__ int line() {
    return exchanges ? thread() % Lines : thread() / ThreadsALine;
  }
  static __device__ __forceinline__ int chunk() {
    return exchanges ? thread() / Lines : thread() % ThreadsALine;
  }
  /// Return the same of the interface that this thread helps to solve.
  static __device__ __forceinline__ int interface_line() { return thread() / ThreadsALine; }
  static __device__ __forceinline__ int interface_chunk() { return thread() % ThreadsALine; }

  /// Waits for the threads that solve lines together.
  static __device__ __forceinline__ void wait() {
    if constexpr (by_warp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Returns the place of this thread in an interface of so many chunks.
  static __device__ __forceinline__ cuda::chunk_place place(int chunks) {
    const int at = interface_chunk();
    const int warp = in_warp ? 0 : at / gpu::warp_size;
    const int lane = in_warp ? at : at % gpu::warp_size;
    const int count =
        in_warp ? chunks : max(min(chunks - warp * gpu::warp_size, gpu::warp_size), 0);
    const int in_line = in_warp ? 1 : (chunks + gpu::warp_size - 1) / gpu::warp_size;
    return {interface_line(), at, lane, lane < count ? lane : -1, count, warp, in_line,
            gpu::warp_size,   0,  1};
  }

  /// Returns whether `mine` is true in any thread that has rows of this thread's line, or
  /// `of_interface` in any that solves its interface. Called by all threads together; what they
  /// wrote to shared memory before is there for all afterwards.
  static __device__ __forceinline__ bool any_of_line(bool mine, bool of_interface, memory& m) {
    if constexpr (!exchanges && in_warp) {
      __syncwarp();
      const unsigned all = __ballot_sync(gpu::whole_warp, mine || of_interface);
      const unsigned every = gpu::whole_warp >> (gpu::warp_size - ThreadsALine);
      return (all >> (thread() % gpu::warp_size / ThreadsALine * ThreadsALine) & every) != 0;
    } else if constexpr (!exchanges && Lines == 1) {
      return __syncthreads_or(mine || of_interface) != 0;
    } else {
      if (interface_chunk() == 0) m.any[interface_line()] = 0;
      wait();
      if (mine) m.any[line()] = 1;
      if (of_interface) m.any[interface_line()] = 1;
      wait();
      const bool any = m.any[line()] != 0;
      wait();
      return any;
    }
  }
  static __device__ __forceinline__ bool any_together(bool mine) {
    if constexpr (by_warp) {
      return __any_sync(gpu::whole_warp, mine) != 0;
    } else {
      return __syncthreads_or(mine) != 0;
    }
  }
};

}  // namespace tridia::device::detail
