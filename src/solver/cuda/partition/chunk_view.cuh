// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "core/tagged_bit.hpp"
#include "solver/cuda/partition/tile_arrays.hpp"

namespace tridia::cuda {

/// Accesses a chunk's rows in shared memory, in a tile or a group. What is kept overwrites them,
/// and x then overwrites rhs, of which a row has `Sides`.
template <class V, int Sides = 1>
struct chunk_view {
  using right_values = side_values<V, Sides>;

  V *sub, *diag, *sup;
  V* right[Sides];

  template <class Tile>
  __device__ __forceinline__ chunk_view(const Tile& t, int system, int first)
      : sub(t.array(layout::sub, system) + first),
        diag(t.array(layout::diag, system) + first),
        sup(t.array(layout::sup, system) + first),
        right{} {
#pragma unroll
    for (int side = 0; side < Sides; ++side) {
      right[side] = t.array(layout::rhs + side, system) + first;
    }
  }

  __device__ __forceinline__ core::row<V> get(int k) const { return {sub[k], diag[k], sup[k]}; }
  __device__ __forceinline__ right_values rhs(int k) const {
    if constexpr (Sides == 1) {
      return right[0][k];
    } else {
      return right_values::filled([&](int side) { return right[side][k]; });
    }
  }
  __device__ __forceinline__ V right_of(int k, int side) const { return right[side][k]; }
  __device__ __forceinline__ void keep(int k, V a, V b, const right_values& c) {
    sup[k] = a, sub[k] = b;
    put(k, c);
  }
  __device__ __forceinline__ void kept(int k, V& a, V& b, right_values& c) const {
    a = sup[k], b = sub[k], c = rhs(k);
  }
  __device__ __forceinline__ void keep_pivot(int k, const core::pivot_row_of<V>& r) {
    sup[k] = core::with_tag(r.next, r.entered), sub[k] = r.other, diag[k] = r.first;
    put(k, r.rhs);
  }
  __device__ __forceinline__ core::pivot_row_of<V> kept_pivot(int k) const {
    const V next = sup[k];
    return {next, sub[k], diag[k], rhs(k), core::tag_of(next)};
  }
  __device__ __forceinline__ void put(int k, const right_values& v) {
    if constexpr (Sides == 1) {
      right[0][k] = v;
    } else {
#pragma unroll
      for (int side = 0; side < Sides; ++side) right[side][k] = v.at[side];
    }
  }
};

}  // namespace tridia::cuda
