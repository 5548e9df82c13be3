// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "gpu/block.cuh"
#include "solver/cuda/partition/interface.cuh"
#include "solver/system_memory.hpp"

#include <limits>

// The threads of a block, or of a cluster of blocks, record here the status of its systems, and
// handle those without a finite solution.
namespace tridia::cuda {

using namespace gpu;
using solver::typed_operands;

/// These values of `failed` mark a system that has no solution yet, whatever is in its place, and
/// one whose x overflowed in some block of a cluster, so that the reason is still to be found.
inline constexpr int unsolved = std::numeric_limits<int>::max(), overflowed = unsolved - 1;

/// Holds an entry for each system of the block. `unstable` is above 0 where numbers grow without
/// pivoting, or are not finite: 1 if that was found by trying, which has overwritten the system's
/// rows, more if it was guessed. `failed` is 0 where x is finite, `unsolved`, or says how many rows
/// from the end of the system x overflowed, which is for the first row that did.
struct solve_status {
  int *unstable, *failed;
  int* of_blocks;  // which have failed, of all blocks of the cluster

  [[nodiscard]] __device__ __forceinline__ bool is_unstable(int system) const {
    return unstable[system] > 0;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_overwritten(int system) const {
    return unstable[system] == 1;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_unsolved(int system) const {
    return failed[system] == unsolved;
  }
  /// Returns whether the status is not known yet.
  [[nodiscard]] __device__ __forceinline__ bool is_open(int system) const {
    return failed[system] >= overflowed;
  }
  /// Returns whether any of so many systems is open. Called by a warp, after a barrier of the
  /// block.
  [[nodiscard]] __device__ __forceinline__ bool any_open(int systems) const {
    if (systems == 1) return is_open(0);
    bool open = false;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) % warp_size; i < systems; i += warp_size) {
      open = open || is_open(i);
    }
    return __any_sync(whole_warp, open);
  }
  /// Records that numbers of a system grow.
  __device__ __forceinline__ void mark_unstable(int system) const {
    atomicMax(unstable + system, 1);
  }

  /// Records that x of a chunk's `n` rows is not finite. `below` is the number of the system's rows
  /// from the chunk's first row on. With `Cluster`, all blocks have to agree about what is
  /// unsolved, so the system is not marked unsolved here; the row is recorded.
  template <bool Cluster, class Rows>
  __device__ __forceinline__ void overflow(const dsmem_exchange<Cluster>&, int system, int n,
                                           const Rows& rows, int below) const {
    if constexpr (!Cluster) {
      failed[system] = unsolved;
    } else {
      int k = n - 1;
      while (k > 0 && core::is_finite(rows.rhs(k))) --k;
      atomicMax(failed + system, below - k);
    }
  }
  /// Records that x of a pivoted system is not finite. Which rows it is found in says nothing, as
  /// it spreads both ways.
  template <bool Cluster>
  __device__ __forceinline__ void overflow(const dsmem_exchange<Cluster>&, int system) const {
    atomicMax(failed + system, Cluster ? overflowed : unsolved);
  }
  /// Returns the status of a system of `rows` rows that has been solved.
  [[nodiscard]] __device__ __forceinline__ index_t status(int system, index_t rows) const {
    return failed[system] == 0 ? 0 : failed[system] - rows - 1;
  }

  /// Sends which systems have failed to all blocks of the cluster. Called after a barrier.
  template <bool Cluster>
  __device__ __forceinline__ void send_statuses(int systems, int rank, int blocks,
                                                const dsmem_exchange<Cluster>& from_blocks) const {
    if constexpr (Cluster) {
      if (threadIdx.x == 0) {
        from_blocks.statuses.expect(static_cast<unsigned>(blocks * systems * sizeof(int)));
      }
      block_for(blocks * systems, static_cast<int>(blockDim.x), [&](int i) {
        const int system = i / blocks, to = i - system * blocks;
        cluster::send(of_blocks + rank * systems + system, failed[system],
                      from_blocks.statuses.barrier(), to);
      });
    }
  }
  /// Returns whether any block of the cluster has found a system failed, the same in all of them.
  /// Called by all threads, once x is being stored, as those that store look up which have failed
  /// here; holds a barrier.
  template <bool Cluster>
  [[nodiscard]] __device__ __forceinline__ bool receive_statuses(
      int systems, int blocks, dsmem_exchange<Cluster>& from_blocks) const {
    if constexpr (!Cluster) return false;
    from_blocks.statuses.wait();
    bool any = false;
    block_for(blocks * systems, static_cast<int>(blockDim.x),
              [&](int i) { any = any || of_blocks[i] != 0; });
    return __syncthreads_or(any) != 0;
  }
  /// Combines what all blocks have found, once it has been received, and x of all of them has been
  /// stored. Called by all threads of one block; ends with a barrier.
  __device__ __forceinline__ void join(int systems, int blocks) const {
    block_for(systems, static_cast<int>(blockDim.x), [&](int i) {
      for (int block = 0; block < blocks; ++block) {
        failed[i] = max(failed[i], of_blocks[block * systems + i]);
      }
    });
    __syncthreads();
  }
};

/// Votes, before an attempt without interchanges, whether the matrix of a system needs them: each
/// thread looks at some rows of its chunk of `n`, and the majority decides. It is a guess that
/// costs little, and affects time alone. `united`: all threads of a warp that have a chunk have the
/// same system. Called by all threads; ends with a barrier of the block.
template <class Rows>
__device__ __forceinline__ void dominance_vote(const Rows& rows, int n, int system, bool united,
                                               const solve_status& found) {
  bool weak = false;
  if (n > 0) {
    constexpr int samples = 4;
#pragma unroll
    for (int k = 0; k < samples; ++k) {
      weak = core::either(weak, core::lacks_dominance(rows.get(k * n / samples)));
    }
  }
  if (united) {
    const unsigned voters = __ballot_sync(whole_warp, n > 0),
                   for_it = __ballot_sync(whole_warp, weak);
    if (n > 0 && static_cast<int>(threadIdx.x) % warp_size == __ffs(voters) - 1) {
      atomicAdd(found.unstable + system, 2 * (2 * __popc(for_it) - __popc(voters)));
    }
  } else if (n > 0) {
    atomicAdd(found.unstable + system, weak ? 2 : -2);
  }
  __syncthreads();
}

/// Fills x of a system with NaN: by one thread, apart from kernels that need their registers.
template <class V>
__device__ __noinline__ void fill_alone(const layout::geometry& g, V* x, index_t matrix) {
  solver::fill_with_nan(g, x, matrix, 0);
}

/// Solves a system whose x is not finite once more, from its input, in one thread, if `room` values
/// a row are enough for the saved factors, and finds the reason if it fails again. Then x is NaN.
template <class V, pivoting P, boundary B>
__device__ __noinline__ void solve_alone(const layout::geometry& g, const typed_operands<V>& o,
                                         index_t matrix, index_t room,
                                         solver::row_values<V> values) {
  if (room >= solver::value_counts<V, P, B>::kept) {
    return solver::solve_system<V, P, B>(g, o, matrix, values);
  }
  if (o.status) {
    solver::enter_status(g, o.status, matrix, 0, solver::diagnose_system<V, P, B>(g, o, matrix));
  }
  fill_alone(g, o.x, matrix);
}

}  // namespace tridia::cuda
