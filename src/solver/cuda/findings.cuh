// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "solver/cuda/cluster.cuh"
#include "solver/system_memory.hpp"

// What the threads of a block, or of a cluster of blocks, find out about its systems, and what
// becomes of those without a finite solution.
namespace tridia::cuda {

using solver::typed_operands;

/// An entry for each system of the block, 0 at first and above 0 where its numbers grow without
/// pivoting, or are not finite. All blocks of a cluster agree after the next `meet`.
struct findings {
  int *grown, *bad;
};

template <bool Cluster>
__device__ __forceinline__ void mark(int* found, int system, int blocks) {
  if constexpr (Cluster) {
    for (int rank = 0; rank < blocks; ++rank) cluster::at(found, rank)[system] = 1;
  } else {
    found[system] = 1;
  }
}

/// A barrier of the block, or of the cluster.
template <bool Cluster>
__device__ __forceinline__ void meet() {
  if constexpr (Cluster) {
    cluster::sync();
  } else {
    __syncthreads();
  }
}

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
