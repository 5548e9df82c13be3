// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/limits.hpp"
#include "gpu/ticket.cuh"
#include "gpu/warp.cuh"

namespace tridia::cuda {

/// The tiles of a block, one after another. Multiprocessors are not equally fast at memory: with
/// tickets, a block takes another tile whenever it has room for one.
class tile_queue {
 public:
  __device__ __forceinline__ explicit tile_queue(unsigned* tickets)
      : tickets_(tickets), next_(blockIdx.x) {}

  /// By one warp.
  __device__ __forceinline__ index_t take() {
    const index_t now = drawn_ ? index_t{gridDim.x} + __shfl_sync(whole_warp, ticket_, 0) : next_;
    next_ += gridDim.x;
    return now;
  }
  /// By the same warp, once after each `take`: the next ticket is on its way then.
  __device__ __forceinline__ void draw_ahead() {
    if (tickets_ == nullptr) return;
    if (!drawn_) wait_for_launch_before();  // which may have cleared them
    drawn_ = true;
    if (threadIdx.x % warp_size == 0) ticket_ = draw_ticket(tickets_);
  }

 private:
  unsigned* tickets_;
  unsigned ticket_ = 0;
  index_t next_;
  bool drawn_ = false;
};

}  // namespace tridia::cuda
