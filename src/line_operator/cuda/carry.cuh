// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/block.cuh"
#include "gpu/device_limits.hpp"
#include "gpu/warp.cuh"

// This header runs the scan of core/recurrence.hpp over the threads of a block.
namespace tridia::line_operator {

using namespace gpu;

/// Says where this thread's chunk is: neighbouring chunks of a line are `lanes` threads apart.
struct chunk_position {
  int lanes;
  int chunk, chunks;  // of the line; a thread without rows is alone in a line
  int threads;        // of the block that have chunks, whole warps
};

/// Holds a scan's shared memory: two values for each warp and each of `lanes`.
template <class V>
struct carry_memory {
  V *ends, *minus_whole;
};

/// Computes the value that comes in at this thread's chunk, along the lines or `Back`. From the
/// matrix comes `minus[i * pitch]`: minus the factor by which 2^i chunks, this one the last of
/// them, multiply what comes in.
template <class V, bool Back, int Steps>
class carry {
 public:
  /// Computes what depends on the matrix alone. A barrier must follow.
  __device__ __forceinline__ carry(const chunk_position& p, const carry_memory<V>& m,
                                   const V* minus, int pitch)
      : memory_(m),
        minus_(minus),
        pitch_(pitch),
        threads_(p.threads),
        lanes_(p.lanes),
        before_(Back ? p.chunks - 1 - p.chunk : p.chunk) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size;
    const int slots = warp_size / lanes_, from_left = lane / lanes_;
    slot_ = Back ? slots - 1 - from_left : from_left;
    last_ = slot_ == slots - 1;
    reach_ = min(before_, slot_);
    place_ = thread / warp_size * lanes_ + lane % lanes_;
    const int begin = thread + (Back ? before_ : -before_) * lanes_;
    first_ = before_ > slot_ ? begin / warp_size * lanes_ + lane % lanes_ : place_;

    V all = -minus_[0];
#pragma unroll
    for (int i = 0; i < Steps; ++i) {
      const V other = shift(all, 1 << i);
      if (1 << i <= slot_) all = all * other;
    }
    minus_all_ = -all;
    if (last_) memory_.minus_whole[place_] = minus_all_;
  }

  /// Returns the value that comes in. `end` is what would leave this chunk if nothing came in;
  /// `through` becomes what leaves it. Contains a barrier.
  __device__ __forceinline__ V in(V end, V& through) const {
    V v = end;
#pragma unroll
    for (int i = 0; i < Steps; ++i) {
      const V other = shift(v, 1 << i);
      // A factor of zero would not do here: a neighbour's NaN must not come in.
      if (reach_ >= 1 << i) v = core::sub_mul(v, minus_[i * pitch_], other);
    }
    if (last_) memory_.ends[place_] = v;
    meet_threads(threads_);
    V c(0);
#pragma unroll 4
    for (int w = first_; w != place_; w += Back ? -lanes_ : lanes_) {
      c = core::sub_mul(memory_.ends[w], memory_.minus_whole[w], c);
    }
    if (before_ > slot_) v = core::sub_mul(v, minus_all_, c);
    through = v;
    const V other = shift(v, 1);
    return before_ == 0 ? V(0) : slot_ == 0 ? c : other;
  }
  __device__ __forceinline__ bool begins() const { return before_ == 0; }
  /// Returns whether a line ends with this chunk.
  __device__ __forceinline__ bool ends(int chunks) const { return before_ == chunks - 1; }

 private:
  __device__ __forceinline__ V shift(const V& v, int step) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    return shuffle(v, (Back ? lane + step * lanes_ : lane - step * lanes_) & (warp_size - 1));
  }

  carry_memory<V> memory_;
  const V* minus_;
  int pitch_, threads_, lanes_, before_, slot_, reach_, place_, first_;
  bool last_;
  V minus_all_;
};

}  // namespace tridia::line_operator
