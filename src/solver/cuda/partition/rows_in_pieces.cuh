// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/copy.cuh"
#include "gpu/device_limits.hpp"
#include "gpu/tma.cuh"

#include <cstdint>

// The TMA moves whole pieces of 16 bytes; a line that begins anywhere has elements beside them. In
// shared memory it lies as far after a multiple of 16 bytes as in its array.
namespace tridia::cuda {

/// This is the number of elements of a piece.
template <class V>
inline constexpr int in_piece = sizeof(V) < 16 ? 16 / static_cast<int>(sizeof(V)) : 1;

/// Returns whether `p` is where a piece begins.
__device__ __forceinline__ bool begins_piece(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

/// Returns the number of elements from the beginning of the piece that `p` is in.
template <class V>
__device__ __forceinline__ int elements_after_piece(const V* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(V)) & (in_piece<V> - 1);
}

/// Copies a piece asynchronously, through the first-level cache.
template <class V>
__device__ __forceinline__ void copy_piece(V* to, const V* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

/// Holds the rows of a system in whole pieces of 16 bytes, `begin` to `end` - 1, and all that are
/// there, `first` to `last` - 1.
template <class V>
struct rows_in_pieces {
  int first, begin, end, last;
  __device__ __forceinline__ rows_in_pieces(int from, int to, int shift)
      : first(from),
        begin(min(to, from + (-(shift + from) & (in_piece<V> - 1)))),
        end(begin + ((to - begin) & ~(in_piece<V> - 1))),
        last(to) {}
  __device__ __forceinline__ unsigned bytes() const {
    return static_cast<unsigned>((end - begin) * static_cast<int>(sizeof(V)));
  }
  /// Calls f(row) for the rows beside whole pieces.
  template <class F>
  __device__ __forceinline__ void beside(F f) const {
    for (int k = first; k < begin; ++k) f(k);
    for (int k = end; k < last; ++k) f(k);
  }
  /// Starts to load the pieces, whose bytes the mbarrier expects, and loads what is beside them.
  __device__ __forceinline__ void load_async(V* to, const V* from, std::uint64_t* mbarrier) const {
    if (bytes() > 0) gpu::tma::load(to + begin, from + begin, bytes(), mbarrier);
    beside([&](int k) { to[k] = from[k]; });
  }
  /// Starts to copy all rows through the first-level cache; by the lanes of a warp. Rows that lie
  /// otherwise in shared memory than in the array are copied one by one.
  __device__ __forceinline__ void copy_async(V* to, const V* from, int lane) const {
    constexpr int lanes = gpu::warp_size;
    const bool alike = begins_piece(to + begin) && begins_piece(from + begin);
    const auto copy_some = [&](int from_row, int to_row) {
      for (int k = from_row + lane; k < to_row; k += lanes) gpu::copy_element(to + k, from + k);
    };
    copy_some(first, alike ? begin : last);
    if (!alike) return;
#pragma unroll 4
    for (int k = begin + lane * in_piece<V>; k < end; k += lanes * in_piece<V>) {
      copy_piece(to + k, from + k);
    }
    copy_some(end, last);
  }
};

/// Stores rows that lie in shared memory `after` elements behind a multiple of 16 bytes; by the
/// lanes of a warp, which commit what the TMA stores. Where `to` lies otherwise, lanes copy
/// elements.
template <class V>
__device__ __forceinline__ void store_in_pieces(V* to, const V* from, int rows, int after, int lane,
                                                int lanes) {
  if (elements_after_piece(to) != after) {
    for (int k = lane; k < rows; k += lanes) to[k] = from[k];
  } else if (lane == 0) {
    const rows_in_pieces<V> r(0, rows, after);
    if (r.bytes() > 0) gpu::tma::store(to + r.begin, from + r.begin, r.bytes());
    r.beside([&](int k) { to[k] = from[k]; });
  }
}

}  // namespace tridia::cuda
