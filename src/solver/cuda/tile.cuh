// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/line.hpp"
#include "solver/cuda/bulk.cuh"
#include "solver/cuda/launch.cuh"
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
                                  const onchip_shape& shape, V* memory, index_t* offsets,
                                  std::uint64_t* arrival)
      : g_(g), o_(o), s_(shape), memory_(memory), offsets_(offsets), arrival_(arrival) {
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
    const bool in_bulk = bulk::available && s_.input != mover::elements && inputs_aligned();
    if (in_bulk) {
      if (threadIdx.x == 0) {
        bulk::expect(arrival_, static_cast<unsigned>(4 * count_ * s_.rows * sizeof(V)));
      }
    }
    find_offsets();
    if (in_bulk) {
      load_in_bulk();
      bulk::wait(arrival_);
    } else {
      if (s_.dense) {
        load_dense();
      } else {
        for_each_line([&](int system, int first, int step) { load_line(system, first, step); });
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    mend_edges();
    __syncthreads();
  }

  /// By every thread, before a barrier and then `store`.
  __device__ __forceinline__ void publish() const {
    if (s_.output != mover::elements) bulk::publish();
  }

  /// Takes x out of the place of rhs, but for the systems that `skip`; `skipped`: there are any.
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    const bool in_bulk = bulk::available && s_.output != mover::elements && !skipped &&
                         aligned(o_.x + offset(layout::x, 0));
    if (in_bulk) return store_in_bulk();
    for_each_line([&](int system, int first, int step) {
      if (skip(system)) return;
      const index_t stride = g_.lines[layout::x].step;
      V* to = o_.x + offset(layout::x, system) + first * stride;
      const V* from = array(layout::rhs, system);
      for (int k = first; k < s_.rows; k += step, to += step * stride) *to = from[k];
    });
  }

 private:
  static __device__ __forceinline__ bool aligned(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  }
  __device__ __forceinline__ bool inputs_aligned() const {
    return aligned(o_.in[0]) && aligned(o_.in[1]) && aligned(o_.in[2]) && aligned(o_.in[3]);
  }

  __device__ __forceinline__ void find_offsets() {
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += s_.threads) {
      index_t at[layout::array_count];
      g_.line_offsets(first_ + s, 0, at);
#pragma unroll
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

  /// Systems that one copy moves, and their bytes.
  __device__ __forceinline__ int copies(mover m) const { return m == mover::pieces ? 1 : count_; }
  __device__ __forceinline__ unsigned copy_bytes(mover m) const {
    return static_cast<unsigned>((m == mover::pieces ? count_ : 1) * s_.rows * sizeof(V));
  }

  __device__ __forceinline__ void load_in_bulk() {
    for (int i = static_cast<int>(threadIdx.x); i < 4 * copies(s_.input); i += s_.threads) {
      const int a = i & 3, system = i >> 2;
      bulk::load(array(a, system), o_.in[a] + offset(a, system), copy_bytes(s_.input), arrival_);
    }
  }
  __device__ __forceinline__ void store_in_bulk() {
    const int count = copies(s_.output);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += s_.threads) {
      bulk::store(o_.x + offset(layout::x, i), array(layout::rhs, i), copy_bytes(s_.output));
    }
    if (static_cast<int>(threadIdx.x) < count) bulk::wait_stored();
  }

  /// All inputs in the order in which they lie in memory.
  __device__ __forceinline__ void load_dense() {
    const V* from[4];
#pragma unroll
    for (int a = 0; a < 4; ++a) from[a] = o_.in[a] + offset(a, 0);
    const int elements = s_.rows * count_;
    for (int i = static_cast<int>(threadIdx.x); i < elements; i += s_.threads) {
      const int system = static_cast<int>(__umulhi(static_cast<unsigned>(i), s_.per_rows));
      V* to = memory_ + i + system * (s_.pitch - s_.rows);
#pragma unroll
      for (int a = 0; a < 4; ++a) copy_element(to + a * s_.array_pitch, from[a] + i);
    }
  }

  /// Calls f(system, first row, step) for this thread's part of every system.
  template <class F>
  __device__ __forceinline__ void for_each_line(F f) {
    const int thread = static_cast<int>(threadIdx.x);
    if (s_.order == walk::systems) {
      const int system = thread & (s_.systems - 1);
      if (system < count_) f(system, thread / s_.systems, s_.threads / s_.systems);
    } else {
      for (int s = thread / warp_size; s < count_; s += s_.threads / warp_size) {
        f(s, thread % warp_size, warp_size);
      }
    }
  }

  /// Row 0 of sub and row n - 1 of sup are left for mend_edges.
  __device__ __forceinline__ void load_line(int system, int first, int step) {
    const V* from[4];
    index_t stride[4];
#pragma unroll
    for (int a = 0; a < 4; ++a) {
      from[a] = o_.in[a] + offset(a, system) + first * g_.lines[a].step;
      stride[a] = step * g_.lines[a].step;
    }
    V* to = array(0, system) + first;
    for (int k = first; k < s_.rows; k += step, to += step) {
#pragma unroll
      for (int a = 0; a < 4; ++a) {
        const bool outside =
            (a == layout::sub && k == 0) || (a == layout::sup && k == s_.rows - 1);
        if (!outside) copy_element(to + a * s_.array_pitch, from[a]);
        from[a] += stride[a];
      }
    }
  }

  __device__ __forceinline__ void mend_edges() {
    const int n = s_.rows;
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += s_.threads) {
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
    for (int s = static_cast<int>(threadIdx.x); s < count_; s += s_.threads) {
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
  std::uint64_t* arrival_;
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

  __device__ __forceinline__ core::row<V> get(int k) const {
    return {sub[k], diag[k], sup[k]};
  }
  __device__ __forceinline__ V rhs(int k) const { return right[k]; }
  __device__ __forceinline__ void keep(int k, V a, V b, V c) {
    sup[k] = a, sub[k] = b, right[k] = c;
  }
  __device__ __forceinline__ void kept(int k, V& a, V& b, V& c) const {
    a = sup[k], b = sub[k], c = right[k];
  }
  __device__ __forceinline__ void put(int k, V v) { right[k] = v; }
};

}  // namespace tridia::cuda
