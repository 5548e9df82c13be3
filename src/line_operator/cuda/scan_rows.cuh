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

/// Loads rows of the tile into registers, through B. What lies beyond the rows that there are is
/// read, but not used.
template <int Width, class V, int Rows>
__device__ __forceinline__ void read_rows(const V* line, int step, int k0, int n,
                                          const kernel_stencil<real_of<V>>& b, V (&value)[Rows]) {
  if constexpr (Width == 1) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) value[i] = line[(k0 + i) * step];
  } else {
    V window[Rows + Width - 1];
    const V* const from = line + (k0 + b.first) * step;
#pragma unroll
    for (int i = 0; i < Rows + Width - 1; ++i) window[i] = from[i * step];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      value[i] = window[i] * b.weights[0];
#pragma unroll
      for (int w = 1; w < Width; ++w) {
        value[i] = core::add_mul(value[i], window[i + w], b.weights[w]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i) value[i] = core::select(i < n, value[i], V(0));
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

/// Loads the prescribed right-hand sides of a tile's lines, which are there once this thread has
/// waited for its copies. To be called by `threads` threads.
template <class V>
__device__ __forceinline__ void load_prescribed(const line_tile<V>& t, index_t number,
                                                const kernel_stencil<real_of<V>>& b,
                                                const V* prescribed, V* closure, int thread,
                                                int threads) {
  if (prescribed == nullptr) return;
  const int rows = b.heads + b.tails, lines = t.count(number);
  for (int i = thread; i < lines * rows; i += threads) {
    const int row = i / lines, line = i - row * lines;
    const auto& r = b.rows[row];
    if (r.count > 0) continue;
    copy_element(closure + line * rows + row,
                 prescribed + r.first * t.lines() + t.number(number, line));
  }
}

/// Applies B at the ends of all lines of the tile: on periodic lines, copies the points beyond the
/// ends that B reads; otherwise computes the rows that have weights of their own, but for those
/// that are prescribed. To be called by `threads` threads; a barrier must follow.
template <class V>
__device__ __forceinline__ void prepare_ends(const line_tile<V>& t, index_t number, V* tile,
                                             const scan_shape& s,
                                             const kernel_stencil<real_of<V>>& b, bool cyclic,
                                             V* closure, int thread, int threads) {
  if constexpr (is_real<V>) {
    const int rows = b.heads + b.tails, beyond = s.before + s.after, lines = t.count(number);
    const int items = lines * (cyclic ? beyond : rows);
    for (int i = thread; i < items; i += threads) {
      const int row = i / lines, line = i - row * lines;
      if (cyclic) {
        const periodic_copy copy = periodic_copy_of(s, row);
        tile[t.place(line, copy.to)] = tile[t.place(line, copy.from)];
        continue;
      }
      const auto& r = b.rows[row];
      if (r.count == 0) continue;
      V sum(0);
#pragma unroll 4
      for (int w = 0; w < r.count; ++w) {
        sum = core::add_mul(sum, tile[t.place(line, r.first + w)], r.weights[w]);
      }
      closure[line * rows + row] = sum;
    }
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
