// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/line.hpp"
#include "solver/cuda/onchip.hpp"
#include "solver/system.hpp"

#include <cuda_pipeline.h>

// Some systems in shared memory: brought in by asynchronous copies whatever their layout, and
// their solutions taken out.
namespace tridia::cuda {

using layout::edge;
using solver::typed_operands;

template <class V>
class tile {
 public:
  /// `offsets` has room for array_count entries a system.
  __device__ __forceinline__ tile(const geometry& g, const typed_operands<V>& o,
                                  const onchip_shape& shape, V* memory, index_t* offsets)
      : g_(g), o_(o), s_(shape), memory_(memory), offsets_(offsets) {
    first_ = static_cast<index_t>(blockIdx.x) * s_.systems;
    const index_t left = g_.matrices.size - first_;
    count_ = left < s_.systems ? static_cast<int>(left) : s_.systems;
  }

  __device__ __forceinline__ int systems() const { return count_; }
  __device__ __forceinline__ index_t number(int system) const { return first_ + system; }
  __device__ __forceinline__ V* array(int a, int system) const {
    return memory_ + a * s_.array_pitch + system * s_.pitch;
  }
  __device__ __forceinline__ index_t offset(int a, int system) const {
    return offsets_[system * layout::array_count + a];
  }

  /// Brings the systems in. Ends with a barrier.
  __device__ __forceinline__ void load() {
    constexpr unsigned inputs = 1u << layout::rhs | 1u << layout::sup | 1u << layout::diag |
                                1u << layout::sub;
    find_offsets();
    if ((s_.dense & inputs) == inputs && s_.pitch == s_.rows) {
      for (int a = 0; a <= layout::rhs; ++a) load_piece(a);
    } else {
      load_elements();
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    mend_edges();
    __syncthreads();
  }

  /// Takes x out of the place of rhs, but for the systems that `skip`.
  template <class Skip>
  __device__ __forceinline__ void store(Skip skip) {
    for_each_element([&](int system, int k, int at) {
      if (!skip(system)) {
        o_.x[offset(layout::x, system) + k * g_.lines[layout::x].step] =
            memory_[layout::rhs * s_.array_pitch + at];
      }
    });
  }

 private:
  __device__ __forceinline__ void find_offsets() {
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += static_cast<int>(blockDim.x)) {
      index_t at[layout::array_count];
      g_.line_offsets(first_ + s, 0, at);
      for (int a = 0; a < layout::array_count; ++a) {
        offsets_[s * layout::array_count + a] = at[a] + (a <= layout::x ? g_.lines[a].origin : 0);
      }
    }
    __syncthreads();
  }

  /// An element, whose parts may be aligned as parts only.
  static __device__ __forceinline__ void copy_element(V* to, const V* from) {
    if constexpr (alignof(V) == sizeof(V)) {
      __pipeline_memcpy_async(to, from, sizeof(V));
    } else {
      __pipeline_memcpy_async(&to->re, &from->re, sizeof(from->re));
      __pipeline_memcpy_async(&to->im, &from->im, sizeof(from->im));
    }
  }

  /// Array `a` of all systems, which lies in one piece.
  __device__ __forceinline__ void load_piece(int a) {
    constexpr int size = static_cast<int>(sizeof(V)), wide = 16 / size;
    const V* from = o_.in[a] + offset(a, 0);
    V* to = memory_ + a * s_.array_pitch;
    const int elements = count_ * s_.rows, step = static_cast<int>(blockDim.x);
    int done = 0;
    if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      done = elements / wide * wide;
      for (int i = static_cast<int>(threadIdx.x) * wide; i < done; i += step * wide) {
        __pipeline_memcpy_async(to + i, from + i, 16);
      }
    }
    for (int i = done + static_cast<int>(threadIdx.x); i < elements; i += step) {
      copy_element(to + i, from + i);
    }
  }

  /// Calls f(system, row, place in an array of the tile) for every element of the tile, in the
  /// order in which the arrays lie in memory.
  template <class F>
  __device__ __forceinline__ void for_each_element(F f) {
    const int elements = s_.rows * (s_.order == walk::rows ? count_ : s_.systems);
    for (int i = static_cast<int>(threadIdx.x); i < elements; i += static_cast<int>(blockDim.x)) {
      if (s_.order == walk::rows) {
        const int system = static_cast<int>(__umulhi(static_cast<unsigned>(i), s_.per_rows));
        const int k = i - system * s_.rows;
        f(system, k, system * s_.pitch + k);
      } else {
        const int system = i & (s_.systems - 1), k = i / s_.systems;
        if (system < count_) f(system, k, system * s_.pitch + k);
      }
    }
  }

  /// Row 0 of sub and row n - 1 of sup are left for mend_edges.
  __device__ __forceinline__ void load_elements() {
    for_each_element([&](int system, int k, int at) {
      const auto copy = [&](int a) {
        copy_element(memory_ + a * s_.array_pitch + at,
                     o_.in[a] + offset(a, system) + k * g_.lines[a].step);
      };
      if (k > 0) copy(layout::sub);
      copy(layout::diag);
      if (k < s_.rows - 1) copy(layout::sup);
      copy(layout::rhs);
    });
  }

  __device__ __forceinline__ void mend_edges() {
    const int n = s_.rows;
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += static_cast<int>(blockDim.x)) {
      V sub(0), sup(0);
      if (g_.corners != edge::absent) {
        sub = o_.in[layout::sub][offset(layout::sub, s) +
                                 g_.sub_corner(n) * g_.lines[layout::sub].step];
        sup = o_.in[layout::sup][offset(layout::sup, s) +
                                 g_.sup_corner(n) * g_.lines[layout::sup].step];
      }
      array(layout::sub, s)[0] = sub;
      array(layout::sup, s)[n - 1] = sup;
    }
    if (!g_.conjugate && (g_.corners == edge::absent || n > 2)) return;
    __syncthreads();
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += static_cast<int>(blockDim.x)) {
      for (int k = 0; k < n; ++k) mend_row(s, k);
    }
  }

  __device__ void mend_row(int s, int k) {
    V &sub = array(layout::sub, s)[k], &diag = array(layout::diag, s)[k],
      &sup = array(layout::sup, s)[k];
    core::row<V> r{sub, diag, sup};
    if (g_.conjugate) r = {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    if (g_.corners != edge::absent && s_.rows < 3) r = core::folded(r, k, s_.rows);
    sub = r.sub, diag = r.diag, sup = r.sup;
  }

  const geometry& g_;
  const typed_operands<V>& o_;
  const onchip_shape& s_;
  V* memory_;
  index_t* offsets_;
  index_t first_;
  int count_;
};

/// A chunk's rows in shared memory. What is kept takes the place of sup, sub and rhs, and x then
/// that of rhs.
template <class V>
struct chunk_rows {
  V *sub, *diag, *sup, *right;

  __device__ __forceinline__ chunk_rows(const tile<V>& t, int system, int first)
      : sub(t.array(layout::sub, system) + first),
        diag(t.array(layout::diag, system) + first),
        sup(t.array(layout::sup, system) + first),
        right(t.array(layout::rhs, system) + first) {}

  __device__ __forceinline__ core::row<V> get(index_t k) const {
    return {sub[k], diag[k], sup[k]};
  }
  __device__ __forceinline__ V rhs(index_t k) const { return right[k]; }
  __device__ __forceinline__ void keep(index_t k, V a, V b, V c) {
    sup[k] = a, sub[k] = b, right[k] = c;
  }
  __device__ __forceinline__ void kept(index_t k, V& a, V& b, V& c) const {
    a = sup[k], b = sub[k], c = right[k];
  }
  __device__ __forceinline__ void put(index_t k, V v) { right[k] = v; }
};

}  // namespace tridia::cuda
