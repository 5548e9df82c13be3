// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "gpu/block.cuh"
#include "solver/cuda/partition/interface.cuh"
#include "solver/system_memory.hpp"

#include <limits>

// What the threads of a block, or of a cluster of blocks, find out about its systems, and what
// becomes of those without a finite solution.
namespace tridia::cuda {

using solver::typed_operands;

/// Of a system that has no solution yet, whatever is in its place; of one whose x overflowed in
/// some block of a cluster, so that the reason is still to be found.
inline constexpr int unsolved = std::numeric_limits<int>::max(), overflowed = unsolved - 1;

/// An entry for each system of the block. `grown` is above 0 where numbers grow without pivoting,
/// or are not finite: 1 if that was found by trying, which has spoiled the system's rows, more if
/// it was guessed. `bad` is 0 where x is finite, `unsolved`, or says how many rows from the end
/// of the system x overflowed, which is for the first row that did.
struct findings {
  int *grown, *bad;
  int* of_blocks;  // what is bad, of all blocks of the cluster

  [[nodiscard]] __device__ __forceinline__ bool is_grown(int system) const {
    return grown[system] > 0;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_spoiled(int system) const {
    return grown[system] == 1;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_unsolved(int system) const {
    return bad[system] == unsolved;
  }
  /// Whether the status is not known yet.
  [[nodiscard]] __device__ __forceinline__ bool is_open(int system) const {
    return bad[system] >= overflowed;
  }
  /// Whether any of so many systems is open. By a warp, after a barrier of the block.
  [[nodiscard]] __device__ __forceinline__ bool any_open(int systems) const {
    if (systems == 1) return is_open(0);
    bool open = false;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) % warp_size; i < systems; i += warp_size) {
      open = open || is_open(i);
    }
    return __any_sync(whole_warp, open);
  }
  /// The numbers of a system are seen to grow.
  __device__ __forceinline__ void spoil(int system) const { atomicMax(grown + system, 1); }

  /// x of a chunk's `n` rows is not finite. `Cluster`: all blocks have to agree about what is
  /// unsolved, so that is not said here; `below`: rows of the system from the chunk's first row on.
  template <bool Cluster, class Rows>
  __device__ __forceinline__ void overflow(const mail<Cluster>&, int system, int n,
                                           const Rows& rows, int below) const {
    if constexpr (!Cluster) {
      bad[system] = unsolved;
    } else {
      int k = n - 1;
      while (k > 0 && core::is_finite(rows.rhs(k))) --k;
      atomicMax(bad + system, below - k);
    }
  }
  /// x of a system that was pivoted is not finite, in rows that say nothing: it spreads both ways.
  template <bool Cluster>
  __device__ __forceinline__ void overflow(const mail<Cluster>&, int system) const {
    atomicMax(bad + system, Cluster ? overflowed : unsolved);
  }
  /// The status of a system of `rows` rows that has been solved.
  [[nodiscard]] __device__ __forceinline__ index_t status(int system, index_t rows) const {
    return bad[system] == 0 ? 0 : bad[system] - rows - 1;
  }

  /// Sends what is bad to all blocks of the cluster. After a barrier.
  template <bool Cluster>
  __device__ __forceinline__ void tell(int systems, int rank, int blocks,
                                       const mail<Cluster>& from_blocks) const {
    if constexpr (Cluster) {
      if (threadIdx.x == 0) {
        from_blocks.findings.expect(static_cast<unsigned>(blocks * systems * sizeof(int)));
      }
      share(blocks * systems, static_cast<int>(blockDim.x), [&](int i) {
        const int system = i / blocks, to = i - system * blocks;
        cluster::send(of_blocks + rank * systems + system, bad[system],
                      from_blocks.findings.barrier(), to);
      });
    }
  }
  /// Whether any block of the cluster has found a system bad, the same in all of them. By all
  /// threads, once x is on its way out, as those that store look up what is bad here; holds a
  /// barrier.
  template <bool Cluster>
  [[nodiscard]] __device__ __forceinline__ bool hear(int systems, int blocks,
                                                     mail<Cluster>& from_blocks) const {
    if constexpr (!Cluster) return false;
    from_blocks.findings.wait();
    bool any = false;
    share(blocks * systems, static_cast<int>(blockDim.x),
          [&](int i) { any = any || of_blocks[i] != 0; });
    return __syncthreads_or(any) != 0;
  }
  /// What all blocks have found, once it has been heard, and x of all of them has been stored. By
  /// all threads of one block; ends with a barrier.
  __device__ __forceinline__ void join(int systems, int blocks) const {
    share(systems, static_cast<int>(blockDim.x), [&](int i) {
      for (int block = 0; block < blocks; ++block) {
        bad[i] = max(bad[i], of_blocks[block * systems + i]);
      }
    });
    __syncthreads();
  }
};

/// Before an attempt without interchanges: threads that see, in some rows of their chunk of `n`,
/// that their matrix needs them outvote those that do not. A guess that costs little, and decides
/// about time alone. `united`: all of a warp that have a chunk have the same system. By all
/// threads; ends with a barrier of the block.
template <class Rows>
__device__ __forceinline__ void vote(const Rows& rows, int n, int system, bool united,
                                     const findings& found) {
  bool weak = false;
  if (n > 0) {
    constexpr int samples = 4;
#pragma unroll
    for (int k = 0; k < samples; ++k) {
      weak = core::either(weak, core::is_weak(rows.get(k * n / samples)));
    }
  }
  if (united) {
    const unsigned voters = __ballot_sync(whole_warp, n > 0),
                   for_it = __ballot_sync(whole_warp, weak);
    if (n > 0 && static_cast<int>(threadIdx.x) % warp_size == __ffs(voters) - 1) {
      atomicAdd(found.grown + system, 2 * (2 * __popc(for_it) - __popc(voters)));
    }
  } else if (n > 0) {
    atomicAdd(found.grown + system, weak ? 2 : -2);
  }
  __syncthreads();
}

/// Fills x of a system with NaN: by one thread, apart from kernels that need their registers.
template <class V>
__device__ __noinline__ void fill_alone(const layout::geometry& g, V* x, index_t matrix) {
  solver::fill_with_nan(g, x, matrix, 0);
}

/// A system that came out not finite: one thread solves it as it was given, if `room` words a row
/// are enough for what that keeps, and finds out what is wrong with it. If anything is, x is NaN.
template <class V, pivoting P, boundary B>
__device__ __noinline__ void solve_alone(const layout::geometry& g, const typed_operands<V>& o,
                                         index_t matrix, index_t room, solver::words<V> words) {
  if (room >= solver::word_counts<V, P, B>::kept) {
    return solver::solve_system<V, P, B>(g, o, matrix, words);
  }
  if (o.status) {
    solver::enter_status(g, o.status, matrix, 0, solver::diagnose_system<V, P, B>(g, o, matrix));
  }
  fill_alone(g, o.x, matrix);
}

}  // namespace tridia::cuda
