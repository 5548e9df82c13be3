// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::cuda {

inline constexpr int block_threads = 128;
inline constexpr int warp_size = 32;

/// This thread among all, and their number, for grid-stride loops.
__device__ inline index_t thread_index() {
  return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline index_t thread_count() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

/// Blocks for `columns` threads, a multiple of block_threads.
inline unsigned blocks_of(index_t columns) {
  return static_cast<unsigned>(columns / block_threads);
}

}  // namespace tridia::cuda
