// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"

#include <cstring>

// The interface of chunks that the threads of a warp, or of several, hold one each: solved by a
// tree of merges.
namespace tridia::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int warp_size = 32;

/// Another lane's value of any size.
template <class T>
__device__ __forceinline__ T shuffle(const T& value, int lane) {
  static_assert(sizeof(T) % 4 == 0);
  unsigned words[sizeof(T) / 4];
  T result;
  std::memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned& w : words) w = __shfl_sync(whole_warp, w, lane);
  std::memcpy(&result, words, sizeof(T));
  return result;
}

/// merge without a watch where there is nothing to watch.
template <class V, pivoting P, class Watch>
__device__ __forceinline__ auto merge(const typename core::chunk<V, P>::equations& a,
                                      const typename core::chunk<V, P>::equations& b,
                                      typename core::chunk<V, P>::seam& s, Watch watch) {
  if constexpr (P == pivoting::none) {
    return core::chunk<V, P>::merge(a, b, s, watch);
  } else {
    return core::chunk<V, P>::merge(a, b, s);
  }
}

/// `count` neighbouring lanes with a chunk each, this one's being number `at`; any number of such
/// groups in a warp, all of one count. Each merge leaves its seam with the right one of its two
/// lanes, which takes no part in later merges: a lane keeps one at most.
template <class V, pivoting P>
class warp_tree {
 public:
  using chunk = core::chunk<V, P>;
  using equations = typename chunk::equations;
  using ends = typename chunk::ends;

  __device__ __forceinline__ warp_tree(int at, int count)
      : lane_(static_cast<int>(threadIdx.x) % warp_size), at_(at), count_(count) {}

  /// Equations of all chunks together, in the lane of the first.
  template <class Watch>
  __device__ __forceinline__ equations up(equations mine, Watch watch) {
    for (int d = 1; d < count_; d *= 2) {
      const side s = side_of(d);
      const equations other = shuffle(mine, partner(s, d));
      if (s == side::none) continue;
      typename chunk::seam seam;
      const bool right = s == side::right;
      const equations both =
          merge<V, P>(right ? other : mine, right ? mine : other, seam, watch);
      if (right) {
        seam_ = seam;
      } else {
        mine = both;
      }
    }
    return mine;
  }

  /// Ends of this lane's chunk, from those of all together in the lane of the first.
  __device__ __forceinline__ ends down(ends mine) const {
    int d = 1;
    while (2 * d < count_) d *= 2;
    for (; d > 0 && count_ > 1; d /= 2) {
      const side s = side_of(d);
      const ends both = shuffle(mine, partner(s, d));
      ends left = mine;
      if (s == side::right) chunk::split(seam_, both, left, mine);
      left = shuffle(left, partner(s, d));
      if (s == side::left) mine = left;
    }
    return mine;
  }

 private:
  enum class side { none, left, right };
  __device__ __forceinline__ side side_of(int d) const {
    const int place = at_ & (2 * d - 1);
    if (at_ < 0 || at_ >= count_) return side::none;
    if (place == d) return side::right;
    return place == 0 && at_ + d < count_ ? side::left : side::none;
  }
  __device__ __forceinline__ int partner(side s, int d) const {
    return s == side::right ? lane_ - d : s == side::left ? lane_ + d : lane_;
  }

  int lane_, at_, count_;
  typename chunk::seam seam_;
};

/// Where a thread's chunk is among the block's.
struct chunk_place {
  int system;          // of the block; -1 where the thread has no chunk
  int chunk;           // of the system
  int at, count;       // in its warp's part of the system; the part's size
  int warp, warps;     // in the system's warps
};

/// Solves the interface of every system of a block, closed by boundary B. `nodes` has room for a
/// warp's equations each, and is not in use; all threads of the block take part.
template <class V, pivoting P, boundary B, class Watch>
__device__ __forceinline__ typename core::chunk<V, P>::ends solve_interface(
    const typename core::chunk<V, P>::equations& mine, const chunk_place& p,
    typename core::chunk<V, P>::equations* nodes, Watch watch) {
  using chunk = core::chunk<V, P>;
  warp_tree<V, P> lanes(p.at, p.count);
  const auto of_warp = lanes.up(mine, watch);
  if (p.warps == 1) return lanes.down(chunk::template close<B>(of_warp));
  // Every warp does the upper tree for itself, which takes one barrier instead of two.
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int first = static_cast<int>(threadIdx.x) / warp_size - p.warp;
  if (lane == 0) nodes[first + p.warp] = of_warp;
  __syncthreads();
  warp_tree<V, P> warps(lane, p.warps);
  const auto whole = warps.up(nodes[first + (lane < p.warps ? lane : 0)], watch);
  const auto of_lane = warps.down(chunk::template close<B>(whole));
  return lanes.down(shuffle(of_lane, p.warp));
}

}  // namespace tridia::cuda
