// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "cpu/transpose.hpp"
#include "tridia/types.hpp"

#include <type_traits>

// These functions copy between arrays and buffers in which systems lie side by side, a lane each:
// row after row, `pitch` values apart. What a store does with the values already there is its
// argument `put`.
namespace tridia::cpu::TRIDIA_ISA {

/// Replaces the values that are there; past the cache where asked for.
struct overwrite {
  bool nontemporal;
  template <class R, int W>
  TRIDIA_FN void put(R* to, vector<R, W> v) const {
    put_vector<R, W>(to, v, nontemporal);
  }
};
/// Adds to the values that are there.
struct accumulate {
  template <class R, int W>
  TRIDIA_FN void put(R* to, vector<R, W> v) const {
    store_vector<R, W>(to, load_vector<R, W>(to) + v);
  }
};

/// Loads `rows` rows of lanes that are neighbours in the array.
template <class R, int W, class Lanes, class Pitch>
void load_rows(const R* from, index_t step, R* to, Pitch pitch, index_t rows, Lanes lanes) {
  for (index_t k = 0; k < rows; ++k, from += step, to += pitch) {
    int l = 0;
    for (; l + W <= lanes; l += W) store_vector<R, W>(to + l, load_vector<R, W>(from + l));
    for (; l < lanes; ++l) to[l] = from[l];
  }
}
template <class R, int W, class Lanes, class Pitch, class Put>
void store_rows(const R* from, Pitch pitch, R* to, index_t step, index_t rows, Lanes lanes,
                Put put) {
  for (index_t k = 0; k < rows; ++k, to += step, from += pitch) {
    int l = 0;
    for (; l + W <= lanes; l += W) put.template put<R, W>(to + l, load_vector<R, W>(from + l));
    for (; l < lanes; ++l) put.template put<R, 1>(to + l, from[l]);
  }
}

/// Loads `count` contiguous values of each of W lines, as the transpose of their matrix. Calls
/// moved(bytes) now and then.
template <class R, int W, class Pitch, class Moved>
void load_lines(const R* const (&lines)[W], R* to, Pitch pitch, index_t count, Moved& moved) {
  index_t r = 0;
  for (; r + W <= count; r += W) {
    transpose_in<R, W>(lines, r, to + r * pitch, pitch);
    moved(W * W * static_cast<int>(sizeof(R)));
  }
  for (; r < count; ++r) {
    for (int l = 0; l < W; ++l) to[r * pitch + l] = lines[l][r];
  }
}
template <class R, int W, class Pitch, class Put, class Moved>
void store_lines(const R* from, Pitch pitch, R* const (&lines)[W], index_t count, Put put,
                 Moved& moved) {
  index_t r = 0;
  for (; r + W <= count; r += W) {
    transpose_out<R, W>(from + r * pitch, pitch, lines, r, put);
    moved(W * W * static_cast<int>(sizeof(R)));
  }
  for (; r < count; ++r) {
    for (int l = 0; l < W; ++l) put.template put<R, 1>(lines[l] + r, from[r * pitch + l]);
  }
}

// These two move what is left over of whole vectors once more with values before it: one by one
// would take longer.
template <class R, int W, class Pitch, class Moved>
void load_lines_by_vectors(const R* const (&lines)[W], R* to, Pitch pitch, index_t count,
                           Moved& moved) {
  const index_t left = count >= W ? count % W : 0;
  load_lines<R, W>(lines, to, pitch, count - left, moved);
  if (left > 0) transpose_in<R, W>(lines, count - W, to + (count - W) * pitch, pitch);
}
template <class R, int W, class Pitch, class Moved>
void store_lines_by_vectors(const R* from, Pitch pitch, R* const (&lines)[W], index_t count,
                            overwrite put, Moved& moved) {
  const index_t left = count >= W ? count % W : 0;
  store_lines<R, W>(from, pitch, lines, count - left, put, moved);
  if (left > 0) {
    transpose_out<R, W>(from + (count - W) * pitch, pitch, lines, count - W, put);
  }
}

/// Calls f(std::integral_constant) of `count` if that is a power of two below W, and returns
/// whether it is.
template <int W, int N = 2, class F>
bool with_short(index_t count, F f) {
  if constexpr (N < W) {
    if (count == N) return f(std::integral_constant<int, N>{}), true;
    return with_short<W, 2 * N>(count, f);
  } else {
    return false;
  }
}

/// Loads W lines of `count` values that follow each other in memory. Returns false, and does
/// nothing, unless `count` is a power of two below W.
template <class R, int W, class Pitch, class Moved>
bool load_short_lines(const R* from, R* to, Pitch pitch, index_t count, Moved& moved) {
  return with_short<W>(count, [&](auto n) {
    vector<R, W> a[n.value];
    for (int i = 0; i < n; ++i) a[i] = load_vector<R, W>(from + i * W);
    deinterleave<R, W, n.value>(a);
    for (int i = 0; i < n; ++i) store_vector<R, W>(to + i * pitch, a[i]);
    moved(n * W * static_cast<int>(sizeof(R)));
  });
}
template <class R, int W, class Pitch, class Put, class Moved>
bool store_short_lines(const R* from, Pitch pitch, R* to, index_t count, Put put, Moved& moved) {
  return with_short<W>(count, [&](auto n) {
    vector<R, W> a[n.value];
    for (int i = 0; i < n; ++i) a[i] = load_vector<R, W>(from + i * pitch);
    interleave<R, W, n.value>(a);
    for (int i = 0; i < n; ++i) put.template put<R, W>(to + i * W, a[i]);
    moved(n * W * static_cast<int>(sizeof(R)));
  });
}

/// Ignores how many bytes have been moved.
struct uncounted {
  void operator()(int) const {}
};

}  // namespace tridia::cpu::TRIDIA_ISA
