// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

// Clusters of blocks, which reach each other's shared memory (compute capability 9.0).
namespace tridia::cuda::cluster {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// A barrier of all blocks of the cluster.
__device__ __forceinline__ void sync() { cooperative_groups::this_cluster().sync(); }

/// The same place of shared memory in another block.
template <class T>
__device__ __forceinline__ T* at(T* mine, int rank) {
  return cooperative_groups::this_cluster().map_shared_rank(mine, static_cast<unsigned>(rank));
}
#else
__device__ __forceinline__ void sync() {}
template <class T>
__device__ __forceinline__ T* at(T* mine, int) {
  return mine;
}
#endif

}  // namespace tridia::cuda::cluster
