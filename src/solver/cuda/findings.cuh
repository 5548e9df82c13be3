// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "solver/cuda/cluster.cuh"
#include "solver/system_memory.hpp"

#include <limits>

// What the threads of a block, or of a cluster of blocks, find out about its systems, and what
// becomes of those without a finite solution.
namespace tridia::cuda {

using solver::typed_operands;

/// Of a system that has no solution yet, whatever is in its place.
inline constexpr int unsolved = std::numeric_limits<int>::max();

/// An entry for each system of the block. `grown` is above 0 where numbers grow without pivoting,
/// or are not finite. `bad` is 0 where x is finite, `unsolved`, or says how many rows from the end
/// of the system x overflowed, which is for the first row that did.
struct findings {
  int *grown, *bad;
  int* of_blocks;  // what is bad, of all blocks of the cluster, in the first one

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
  /// The status of a system of `rows` rows that has been solved.
  [[nodiscard]] __device__ __forceinline__ index_t status(int system, index_t rows) const {
    return bad[system] == 0 ? 0 : bad[system] - rows - 1;
  }

  /// Sends what is bad to the first block of the cluster. After a barrier.
  template <bool Cluster>
  __device__ __forceinline__ void tell(int systems, int rank, int blocks,
                                       const mail<Cluster>& from_blocks) const {
    if constexpr (Cluster) {
      const int thread = static_cast<int>(threadIdx.x);
      if (thread == 0 && rank == 0) {
        from_blocks.findings.expect(static_cast<unsigned>(blocks * systems * sizeof(int)));
      }
      for (int i = thread; i < systems; i += static_cast<int>(blockDim.x)) {
        cluster::send(of_blocks + rank * systems + i, bad[i], from_blocks.findings.barrier(), 0);
      }
    }
  }
  /// By all threads of the first block; ends with a barrier.
  template <bool Cluster>
  __device__ __forceinline__ void hear(int systems, int blocks, mail<Cluster>& from_blocks) const {
    if constexpr (Cluster) {
      from_blocks.findings.wait();
      __syncthreads();  // threads that store look up what is bad here
      for (int i = static_cast<int>(threadIdx.x); i < systems; i += static_cast<int>(blockDim.x)) {
        for (int block = 0; block < blocks; ++block) {
          bad[i] = max(bad[i], of_blocks[block * systems + i]);
        }
      }
      __syncthreads();
    }
  }
};

/// Before an attempt without interchanges: threads that see, in some rows of their chunk of `n`,
/// that their matrix needs them outvote those that do not. A guess that costs little, and decides
/// about time alone. By all threads; ends with a barrier of the block.
template <class Rows>
__device__ __forceinline__ void vote(const Rows& rows, int n, int system, const findings& found) {
  if (n > 0) {
    constexpr int samples = 4;
    bool weak = false;
#pragma unroll
    for (int k = 0; k < samples; ++k) weak = weak || core::is_weak(rows.get(k * n / samples));
    atomicAdd(found.grown + system, weak ? 1 : -1);
  }
  __syncthreads();
}

/// A system that came out not finite: one thread solves it as it was given, if `room` words a row
/// are enough for what that keeps, and finds out what is wrong with it.
template <class V, pivoting P, boundary B>
__device__ __noinline__ void solve_alone(const layout::geometry& g, const typed_operands<V>& o,
                                         index_t matrix, index_t room, solver::words<V> words) {
  if (room >= solver::word_counts<V, P, B>::kept) {
    return solver::solve_system<V, P, B>(g, o, matrix, words);
  }
  if (o.status) {
    solver::enter_status(g, o.status, matrix, 0, solver::diagnose_system<V, P, B>(g, o, matrix));
  }
}

}  // namespace tridia::cuda
