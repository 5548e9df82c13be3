// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/interleaved_tile.cuh"

namespace tridia::cuda::segments {

/// Accesses a chunk's rows in a tile of interleaved systems that have `Sides` right-hand sides
/// each. What is kept overwrites the matrix, and x the right-hand sides. Systems may have one copy
/// of the matrix: those lanes of a warp that have its rows write the same to it.
template <class V, int Sides>
class sided_chunk_view {
 public:
  template <class Tile>
  __device__ __forceinline__ sided_chunk_view(const Tile& t, const interleaved_shape& s, int system,
                                              int first, bool conjugate)
      : matrix_(&t.entry(layout::sub, system, first)),
        right_(t.array(layout::rhs) + first * s.systems + system),
        matrix_step_(s.matrix_systems),
        step_(s.systems),
        matrix_pitch_(s.matrix_pitch),
        pitch_(s.array_pitch),
        conjugate_(conjugate),
        sharing_(s.matrix_systems < s.systems ? lanes_of_chunk(s, t.systems()) : 0u) {}

  __device__ __forceinline__ core::row<V> get(int k) const {
    const V* const at = matrix_ + k * matrix_step_;
    const core::row<V> r{at[0], at[matrix_pitch_], at[2 * matrix_pitch_]};
    if constexpr (sizeof(V) == sizeof(typename core::value_traits<V>::real)) {
      return r;
    } else {
      if (!conjugate_) return r;
      return {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    }
  }
  __device__ __forceinline__ core::values<V, Sides> rhs(int k) const {
    return load_sides<V, Sides>(right_ + k * step_, pitch_);
  }
  __device__ __forceinline__ V right_of(int k, int side) const {
    return right_[k * step_ + side * pitch_];
  }
  __device__ __forceinline__ void keep(int k, V a, V b, const core::values<V, Sides>& c) {
    V* const to = matrix_ + k * matrix_step_;
    // Every lane has read the row before another one overwrites it.
    if (sharing_ != 0) __syncwarp(sharing_);
    to[2 * matrix_pitch_] = a, to[0] = b;
    store_sides(c, right_ + k * step_, pitch_);
  }
  __device__ __forceinline__ void kept(int k, V& a, V& b, core::values<V, Sides>& c) const {
    const V* const from = matrix_ + k * matrix_step_;
    a = from[2 * matrix_pitch_], b = from[0], c = rhs(k);
  }
  __device__ __forceinline__ void put(int k, const core::values<V, Sides>& v) {
    store_sides(v, right_ + k * step_, pitch_);
  }

 private:
  /// Returns the lanes that have this lane's rows, of so many systems.
  static __device__ __forceinline__ unsigned lanes_of_chunk(const interleaved_shape& s,
                                                            int systems) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    return whole_warp >> (warp_size - systems) << (lane & ~(s.systems - 1));
  }

  V *matrix_, *right_;
  int matrix_step_, step_, matrix_pitch_, pitch_;
  bool conjugate_;
  unsigned sharing_;
};

}  // namespace tridia::cuda::segments
