// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "core/tagged_bit.hpp"
#include "solver/cuda/partition/interleaved.hpp"

namespace tridia::cuda {

/// Accesses a chunk's rows in the tile. What is kept overwrites them, and x then overwrites rhs.
template <class V>
class interleaved_chunk_view {
 public:
  template <class Tile>
  __device__ __forceinline__ interleaved_chunk_view(const Tile& t, const interleaved_shape& s,
                                                    int system, int first, bool conjugate)
      : at_(t.array(0) + first * s.systems + system),
        step_(s.systems),
        pitch_(s.array_pitch),
        conjugate_(conjugate) {}

  __device__ __forceinline__ core::row<V> get(int k) const {
    const V* const at = at_ + k * step_;
    const core::row<V> r{at[0], at[pitch_], at[2 * pitch_]};
    if constexpr (sizeof(V) == sizeof(typename core::value_traits<V>::real)) {
      return r;
    } else {
      if (!conjugate_) return r;
      return {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    }
  }
  __device__ __forceinline__ V rhs(int k) const { return at_[3 * pitch_ + k * step_]; }
  __device__ __forceinline__ V right_of(int k, int) const { return rhs(k); }

  __device__ __forceinline__ void keep(int k, V a, V b, V c) {
    V* const to = at_ + k * step_;
    to[2 * pitch_] = a, to[0] = b, to[3 * pitch_] = c;
  }
  __device__ __forceinline__ void kept(int k, V& a, V& b, V& c) const {
    const V* const from = at_ + k * step_;
    a = from[2 * pitch_], b = from[0], c = from[3 * pitch_];
  }
  __device__ __forceinline__ void keep_pivot(int k, const core::pivot_row_of<V>& r) {
    V* const to = at_ + k * step_;
    to[2 * pitch_] = core::with_tag(r.next, r.entered), to[0] = r.other, to[pitch_] = r.first;
    to[3 * pitch_] = r.rhs;
  }
  __device__ __forceinline__ core::pivot_row_of<V> kept_pivot(int k) const {
    const V* const from = at_ + k * step_;
    const V next = from[2 * pitch_];
    return {next, from[0], from[pitch_], from[3 * pitch_], core::tag_of(next)};
  }
  __device__ __forceinline__ void put(int k, V v) { at_[3 * pitch_ + k * step_] = v; }

 private:
  V* at_;
  int step_, pitch_;
  bool conjugate_;
};

}  // namespace tridia::cuda
