// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "cpu/transpose.hpp"
#include "tridia/types.hpp"

#include <algorithm>
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

/// Calls f(std::integral_constant) of W or, if `count` is less, of the largest power of two in it.
template <int W, class F>
TRIDIA_FN void with_piece(int count, F f) {
  if constexpr (W > 1) {
    if (count < W) return with_piece<W / 2>(count, f);
  }
  f(std::integral_constant<int, W>{});
}

/// Loads `rows` rows of lanes that are neighbours in the array. What is left over of whole vectors
/// is loaded with some of the lanes before it, or as two pieces that overlap.
template <class R, int W, class Lanes, class Pitch>
void load_rows(const R* from, index_t step, R* to, Pitch pitch, index_t rows, Lanes lanes) {
  with_piece<W>(lanes, [&](auto piece) {
    constexpr int P = piece;
    for (index_t k = 0; k < rows; ++k, from += step, to += pitch) {
      int l = 0;
      for (; l + P <= lanes; l += P) store_vector<R, P>(to + l, load_vector<R, P>(from + l));
      if (l < lanes) store_vector<R, P>(to + lanes - P, load_vector<R, P>(from + lanes - P));
    }
  });
}
/// Stores rows likewise, but nothing twice where `put` adds.
template <class R, int W, class Lanes, class Pitch, class Put>
void store_rows(const R* from, Pitch pitch, R* to, index_t step, index_t rows, Lanes lanes,
                Put put) {
  with_piece<W>(lanes, [&](auto piece) {
    constexpr int P = piece;
    for (index_t k = 0; k < rows; ++k, to += step, from += pitch) {
      int l = 0;
      for (; l + P <= lanes; l += P) put.template put<R, P>(to + l, load_vector<R, P>(from + l));
      if constexpr (std::is_same_v<Put, overwrite>) {
        if (l < lanes) store_vector<R, P>(to + lanes - P, load_vector<R, P>(from + lanes - P));
      } else {
        for (; l < lanes; ++l) put.template put<R, 1>(to + l, from[l]);
      }
    }
  });
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

/// Calls f(lines, l, r, std::integral_constant P) for blocks of P of the W lines, from line l on,
/// by P values, from value r on: they cover values `first` to `first + count - 1`, fewer than W,
/// and may overlap.
template <int W, class Line, class F>
TRIDIA_FN void for_each_small_block(Line* const (&lines)[W], index_t first, index_t count, F f) {
  with_piece<(W > 1 ? W / 2 : 1)>(static_cast<int>(count), [&](auto piece) {
    constexpr int P = piece;
    for (int l = 0; l < W; l += P) {
      Line* some[P];
      for (int i = 0; i < P; ++i) some[i] = lines[l + i];
      f(some, l, first, piece);
      if (count > P) f(some, l, first + count - P, piece);
    }
  });
}

// These move what is left over of whole vectors once more with values before it, and lines shorter
// than a vector by smaller ones: one by one would take longer.
template <class R, int W, class Pitch, class Moved>
void load_lines_by_vectors(const R* const (&lines)[W], R* to, Pitch pitch, index_t count,
                           Moved& moved) {
  if (count > 0 && count < W) {
    const auto load = [&](auto& some, int l, index_t r, auto piece) {
      transpose_in<R, decltype(piece)::value>(some, r, to + r * pitch + l, pitch);
    };
    return for_each_small_block<W>(lines, 0, count, load);
  }
  const index_t left = count % W;
  load_lines<R, W>(lines, to, pitch, count - left, moved);
  if (left > 0) transpose_in<R, W>(lines, count - W, to + (count - W) * pitch, pitch);
}
template <class R, int W, class Pitch, class Moved>
void store_part_by_vectors(const R* from, Pitch pitch, R* const (&lines)[W], index_t first,
                           index_t end, overwrite put, Moved& moved) {
  if (first == end) return;
  if (end - first < W) {
    const auto store = [&](auto& some, int l, index_t r, auto piece) {
      transpose_out<R, decltype(piece)::value>(from + r * pitch + l, pitch, some, r, put);
    };
    return for_each_small_block<W>(lines, first, end - first, store);
  }
  index_t r = first;
  for (; r + W <= end; r += W) {
    transpose_out<R, W>(from + r * pitch, pitch, lines, r, put);
    moved(W * W * static_cast<int>(sizeof(R)));
  }
  if (r < end) transpose_out<R, W>(from + (end - W) * pitch, pitch, lines, end - W, put);
}
/// Only whole cache lines go past the cache: one that is partly stored into it as well is slow.
template <class R, int W, class Pitch, class Moved>
void store_lines_by_vectors(const R* from, Pitch pitch, R* const (&lines)[W], index_t count,
                            overwrite put, Moved& moved) {
  if (!put.nontemporal) return store_part_by_vectors(from, pitch, lines, 0, count, put, moved);
  constexpr index_t line = 64 / sizeof(R);
  const auto past =
      static_cast<index_t>(reinterpret_cast<std::uintptr_t>(lines[0]) / sizeof(R) % line);
  const index_t first = std::min((line - past) % line, count);
  const index_t end = first + (count - first) / line * line;
  store_part_by_vectors(from, pitch, lines, 0, first, overwrite{false}, moved);
  store_part_by_vectors(from, pitch, lines, first, end, put, moved);
  store_part_by_vectors(from, pitch, lines, end, count, overwrite{false}, moved);
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
