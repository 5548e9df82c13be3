// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tma.cuh"

#include <cstdint>

// The TMA moves whole pieces of 16 bytes; a line that begins anywhere has elements beside them. In
// shared memory it lies as far after a multiple of 16 bytes as in its array.
namespace tridia::cuda {

/// This is the number of elements of a piece.
template <class V>
inline constexpr int in_piece = sizeof(V) < 16 ? 16 / static_cast<int>(sizeof(V)) : 1;

/// Returns the number of elements from the beginning of the piece that `p` is in.
template <class V>
__device__ __forceinline__ int elements_after_piece(const V* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(V)) & (in_piece<V> - 1);
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
