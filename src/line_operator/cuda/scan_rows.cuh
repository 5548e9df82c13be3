// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/copy.cuh"
#include "line_operator/cuda/scan.hpp"
#include "line_operator/cuda/scan_tile.cuh"

#include <climits>
#include <type_traits>

// These functions read rows of a tile's lines into registers through B, scale them, and check that
// they are finite.
namespace tridia::line_operator {

using namespace gpu;

template <class V>
using real_of = typename core::value_traits<V>::real;

template <class V>
inline constexpr bool is_real = std::is_same_v<V, real_of<V>>;

/// Reads consecutive rows of a line in shared memory, those of each phase through a pointer.
template <tile_kind Kind, class V>
class consecutive_rows {
 public:
  __device__ __forceinline__ consecutive_rows(const V* tile, const tile_places<Kind>& place,
                                              int line, int first) {
#pragma unroll
    for (int j = 0; j < together; ++j) at_[j] = tile + place(line, first + j);
    const phased_rows& r = place.s.in_tile;
    step_ = Kind == tile_kind::along ? 1 : phased ? r.pitch * (together >> r.log) : r.pitch;
  }
  __device__ __forceinline__ V operator()(int i) const {
    return Kind == tile_kind::along ? at_[0][i] : at_[i % together][i / together * step_];
  }

 private:
  static constexpr bool phased = Kind == tile_kind::phased;
  static constexpr int together = phased ? most_phases(sizeof(V)) : 1;
  const V* at_[together];
  int step_;
};

/// Puts zeros behind the first `n` rows.
template <class V, int Rows>
__device__ __forceinline__ void keep_rows(int n, V (&value)[Rows]) {
#pragma unroll
  for (int i = 0; i < Rows; ++i) value[i] = core::select(i < n, value[i], V(0));
}

/// Loads rows of the tile into registers, through B. What lies beyond the rows that there are is
/// read, but not used; `within`: nothing is read beyond the line's `points`, which others may
/// write.
template <int Width, tile_kind Kind, class V, int Rows>
__device__ __forceinline__ void read_rows(const V* tile, const tile_places<Kind>& place, int line,
                                          int k0, int n, bool within, int points,
                                          const kernel_stencil<real_of<V>>& b, V (&value)[Rows]) {
  const int first = k0 + (Width > 1 ? b.first : 0);
  const consecutive_rows<Kind, V> rows(tile, place, line, first);
  const auto read = [&](int i) {
    const bool outside = static_cast<unsigned>(first + i) >= static_cast<unsigned>(points);
    return within && outside ? V(0) : rows(i);
  };
  if constexpr (Width == 1) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) value[i] = read(i);
  } else {
    V window[Rows + Width - 1];
#pragma unroll
    for (int i = 0; i < Rows + Width - 1; ++i) window[i] = read(i);
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      value[i] = window[i] * b.weights[0];
#pragma unroll
      for (int w = 1; w < Width; ++w) {
        value[i] = core::add_mul(value[i], window[i + w], b.weights[w]);
      }
    }
  }
  keep_rows(n, value);
}

/// Writes a thread's rows of a line to its places in the tile.
template <tile_kind Kind, class V, int Rows>
__device__ __forceinline__ void write_rows(V* tile, const tile_places<Kind>& place, int line,
                                           int k0, int n, const V (&value)[Rows]) {
  if constexpr (Kind == tile_kind::phased) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (i < n) tile[place(line, k0 + i)] = value[i];
    }
  } else {
    V* const mine = tile + place(line, k0);
    const int step = Kind == tile_kind::along ? 1 : place.s.in_tile.pitch;
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (i < n) mine[i * step] = value[i];
    }
  }
}

/// Replaces the tile's values in the rows at both ends of a line by their right-hand sides.
template <class V, int Rows>
__device__ __forceinline__ void read_ends(int k0, int n, const scan_shape& s,
                                          const kernel_stencil<real_of<V>>& b, const V* closure,
                                          V (&value)[Rows]) {
  if (k0 < b.heads) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (k0 + i < b.heads && i < n) value[i] = closure[k0 + i];
    }
  }
  const int tail = s.rows - b.tails;
  if (k0 + Rows > tail) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (k0 + i >= tail && i < n) value[i] = closure[b.heads + k0 + i - tail];
    }
  }
}

/// Loads what is prescribed for the ends of a tile's lines, which is there once this thread has
/// waited for its copies. To be called by `threads` threads.
template <class V, tile_kind Kind>
__device__ __forceinline__ void load_prescribed(const line_tile<V, Kind>& t, index_t number,
                                                const kernel_stencil<real_of<V>>& b,
                                                const V* prescribed, V* closure, int thread,
                                                int threads) {
  if (prescribed == nullptr) return;
  const int own = b.heads + b.tails, values = b.end_values(), lines = t.count(number);
  for (int i = thread; i < lines * values; i += threads) {
    const int k = i / lines, line = i - k * lines;
    if (k < own && b.rows[k].count > 0) continue;
    const int of = k < own ? b.rows[k].first : b.given.number(k - own);
    copy_element(closure + line * values + k, prescribed + of * t.lines() + t.number(number, line));
  }
}
/// Enters what was loaded, if B comes last: right-hand sides in the tile, and results, times
/// `scale`, where other rows' follow. To be called by the same threads, each of which finds what it
/// loaded; a barrier must follow.
template <class V, tile_kind Kind>
__device__ __forceinline__ void enter_given(const tile_places<Kind>& place, int lines, V* tile,
                                            const scan_shape& s,
                                            const kernel_stencil<real_of<V>>& b, real_of<V> scale,
                                            V* closure, int thread, int threads) {
  if constexpr (is_real<V>) {
    const int own = b.heads + b.tails, values = b.end_values();
    for (int i = thread; i < lines * values; i += threads) {
      const int k = i / lines, line = i - k * lines;
      V& value = closure[line * values + k];
      if (k >= own) {
        tile[place(line, b.given.row(k - own, s.rows))] = value;
      } else if (b.rows[k].count == 0) {
        value = value * scale;
      }
    }
  }
}

/// Applies B at an end of a line: on periodic lines, copies a point beyond the ends that B reads,
/// number `i` of these; otherwise computes number `i` of the rows that have weights of their own,
/// unless it is prescribed.
template <class V, tile_kind Kind>
__device__ __forceinline__ void prepare_end(const tile_places<Kind>& place, int base, int i,
                                            V* tile, const scan_shape& s,
                                            const kernel_stencil<real_of<V>>& b, bool cyclic,
                                            V* closure) {
  if constexpr (is_real<V>) {
    if (cyclic) {
      const periodic_copy copy = periodic_copy_of(s, i);
      tile[place.of(base, copy.to)] = tile[place.of(base, copy.from)];
      return;
    }
    const auto& r = b.rows[i];
    if (r.count == 0) return;
    V sum(0);
#pragma unroll 4
    for (int w = 0; w < r.count; ++w) {
      sum = core::add_mul(sum, tile[place.of(base, r.first + w)], r.weights[w]);
    }
    closure[i] = sum;
  }
}
/// Returns the number of a line's ends.
template <class R>
__device__ __forceinline__ int count_ends(const scan_shape& s, const kernel_stencil<R>& b,
                                          bool cyclic) {
  return cyclic ? s.before + s.after : b.heads + b.tails;
}

/// Prepares those ends of a line from number `first` on, in steps.
template <class V, tile_kind Kind>
__device__ __forceinline__ void prepare_line(const tile_places<Kind>& place, int line, int first,
                                             int step, V* tile, const scan_shape& s,
                                             const kernel_stencil<real_of<V>>& b, bool cyclic,
                                             V* closure) {
  const int base = place.base(line), ends = count_ends(s, b, cyclic);
  for (int i = first; i < ends; i += step) {
    prepare_end(place, base, i, tile, s, b, cyclic, closure);
  }
}
/// Prepares the ends of all lines of a tile. To be called by one warp, and a barrier must follow.
template <class V, tile_kind Kind>
__device__ __forceinline__ void prepare_lines(const tile_places<Kind>& place, int lines, V* tile,
                                              const scan_shape& s,
                                              const kernel_stencil<real_of<V>>& b, bool cyclic,
                                              V* closure) {
  const int ends = count_ends(s, b, cyclic), values = b.end_values();
  for (int i = static_cast<int>(threadIdx.x) % warp_size; i < lines * ends; i += warp_size) {
    const int end = i / lines, line = i - end * lines;
    prepare_end(place, place.base(line), end, tile, s, b, cyclic, closure + line * values);
  }
}

/// Multiplies rows by `scale`, unless they have scales of their own.
template <class V, int Rows>
__device__ __forceinline__ void scale_rows(const real_of<V>* scales, real_of<V> scale,
                                           V (&value)[Rows]) {
  if constexpr (is_real<V>) {
    if (scales != nullptr) {
#pragma unroll
      for (int i = 0; i < Rows; ++i) value[i] = value[i] * scales[i];
    } else {
#pragma unroll
      for (int i = 0; i < Rows; ++i) value[i] = value[i] * scale;
    }
  }
}

/// Enters the first row that is not finite; those of the solution after all of the right-hand side.
template <class V, int Rows>
__device__ __forceinline__ void find_row(const V (&value)[Rows], int k0, int* found, int offset) {
  int first = INT_MAX;
#pragma unroll
  for (int i = Rows - 1; i >= 0; --i) {
    if (!core::is_finite(value[i])) first = k0 + i + offset;
  }
  atomicMin(found, first);
}

}  // namespace tridia::line_operator
