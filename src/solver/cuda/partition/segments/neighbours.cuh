// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/words.cuh"
#include "solver/cuda/partition/segments/border.hpp"

// Blocks show the equations at the borders of their segments to the blocks on the other sides of
// these, and need not wait for all others.
namespace tridia::cuda::segments {

/// Says where a segment is among those of its system: those at the ends of a ring are neighbours.
struct segment_rank {
  int rank, ranks;
  bool ring;

  __device__ __forceinline__ bool has_left() const { return ring || rank > 0; }
  __device__ __forceinline__ bool has_right() const { return ring || rank + 1 < ranks; }
  /// Return how many nodes apart the neighbours are: 0 where there is none.
  __device__ __forceinline__ int to_left() const {
    return rank > 0 ? -1 : has_left() ? ranks - 1 : 0;
  }
  __device__ __forceinline__ int to_right() const {
    return rank + 1 < ranks ? 1 : has_right() ? 1 - ranks : 0;
  }
};

/// Exchanges the equations at borders between neighbouring segments of a system.
template <class V, pivoting P>
class neighbour_exchange {
 public:
  using unknowns = typename core::chunk<V, P>::unknowns;

  /// `borders` are those of all segments; their words are absent in the beginning. `gave_up`, 0
  /// then, tells all blocks when one has waited in vain.
  __device__ __forceinline__ neighbour_exchange(border_equations<V>* borders, int* gave_up)
      : borders_(borders), gave_up_(gave_up) {}

  /// Shows the equations at the borders of segment `node` to its neighbours.
  __device__ __forceinline__ void show(const border_equations<V>& here, index_t node) const {
    send(here.first, &borders_[node].first);
    send(here.last, &borders_[node].last);
  }

  /// Returns whether x at both borders of segment `node` follows from the equations there, and
  /// these x. Waits for its neighbours, if its own equations do not tell already.
  __device__ __forceinline__ bool close(const border_equations<V>& here, index_t node,
                                        const segment_rank& at, unknowns& x) const {
    if (!core::is_finite(here.first.inner) || !core::is_finite(here.last.inner)) return false;
    // Beyond the ends of a system x counts as 0.
    border_equation<V> left{V(1), V(0), V(0)}, right = left;
    if (!receive(node, at, left, right)) return false;
    V before, first, last, after;
    const bool on_left = meet(left, here.first, before, first);
    const bool on_right = meet(here.last, right, last, after);
    if constexpr (P == pivoting::none) {
      x = {before, last, after};
    } else {
      x = {before, first, last, after};
    }
    return on_left && on_right && core::is_finite(before) && core::is_finite(first) &&
           core::is_finite(last) && core::is_finite(after);
  }

 private:
  using words = gpu::sent_words<V, ::cuda::thread_scope_device>;
  /// Reads of neighbours' words, some 10 ms, after which a segment is left to the kernels that
  /// follow: blocks start in the order of their numbers, which CUDA does not promise, and find room
  /// for those that they wait for, which are few turns away, unless other kernels have taken nearly
  /// the whole device.
  static constexpr int most_reads = 1 << 14;

  static __device__ __forceinline__ void send(const border_equation<V>& e, border_equation<V>* to) {
    words::send(&to->inner, e.inner);
    words::send(&to->outer, e.outer);
    words::send(&to->rhs, e.rhs);
  }
  /// Waits for the equations on the other sides of the borders, whose words are all read at the
  /// same time. Returns false if it gives up.
  __device__ __forceinline__ bool receive(index_t node, const segment_rank& at,
                                          border_equation<V>& left,
                                          border_equation<V>& right) const {
    // At the ends of a system it reads its own words.
    const border_equation<V>* const at_left = &borders_[node + at.to_left()].last;
    const border_equation<V>* const at_right = &borders_[node + at.to_right()].first;
    for (int k = 0; k < most_reads; ++k) {
      bool left_there = true, right_there = true;
      const auto on_left = read(at_left, left_there), on_right = read(at_right, right_there);
      if (!left_there || !right_there) {
        if (k % 64 == 63 && given_up().load(::cuda::memory_order_relaxed) != 0) return false;
        continue;
      }
      if (at.has_left()) left = on_left;
      if (at.has_right()) right = on_right;
      return true;
    }
    given_up().store(1, ::cuda::memory_order_relaxed);
    return false;
  }
  __device__ __forceinline__ auto given_up() const {
    return ::cuda::atomic_ref<int, ::cuda::thread_scope_device>(*gave_up_);
  }
  static __device__ __forceinline__ border_equation<V> read(const border_equation<V>* from,
                                                            bool& there) {
    border_equation<V> e;
    bool all[3] = {true, true, true};
    e.inner = words::receive(&from->inner, all[0]);
    e.outer = words::receive(&from->outer, all[1]);
    e.rhs = words::receive(&from->rhs, all[2]);
    there = all[0] && all[1] && all[2];
    return e;
  }

  border_equations<V>* borders_;
  int* gave_up_;
};

}  // namespace tridia::cuda::segments
