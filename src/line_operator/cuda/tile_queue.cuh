// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/device_limits.hpp"
#include "gpu/tile_counter.cuh"
#include "gpu/warp.cuh"

namespace tridia::line_operator {

using namespace gpu;

/// Gives the tiles of a block, one after another. Multiprocessors are not equally fast at memory:
/// with a tile counter, a block takes another tile whenever it has room for one. The tiles to begin
/// with are known without it.
class tile_queue {
 public:
  __device__ __forceinline__ explicit tile_queue(unsigned* tile_counter)
      : tile_counter_(tile_counter), next_(blockIdx.x) {}

  /// Returns the next tile. To be called by one warp.
  __device__ __forceinline__ index_t take() {
    if (drawn_) return next_ + __shfl_sync(whole_warp, tile_, 0);
    const index_t now = next_;
    next_ += gridDim.x;
    return now;
  }
  /// Fetches the next number ahead. To be called by the same warp, after the tiles to begin with,
  /// and once after each `take` from then on.
  __device__ __forceinline__ void prefetch() {
    if (tile_counter_ == nullptr) return;
    if (!drawn_) {
      wait_for_launch_before();  // which may have cleared the counter
      next_ -= blockIdx.x;       // numbers are drawn from here on
      drawn_ = true;
    }
    if (threadIdx.x % warp_size == 0) tile_ = next_tile(tile_counter_);
  }

 private:
  unsigned* tile_counter_;
  unsigned tile_ = 0;
  index_t next_;
  bool drawn_ = false;
};

}  // namespace tridia::line_operator
