// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// These functions are shuffles of native vectors, which std::experimental::simd lacks.
namespace tridia::cpu::TRIDIA_ISA {

template <class R, int W>
struct vector_of {
  typedef R type __attribute__((vector_size(W * sizeof(R))));
};
template <class R>
struct vector_of<R, 1> {
  using type = R;
};
template <class R, int W>
using vector = typename vector_of<R, W>::type;

template <class R, int W>
inline vector<R, W> load_vector(const R* p) {
  vector<R, W> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class R, int W>
inline void store_vector(R* p, vector<R, W> v) {
  std::memcpy(p, &v, sizeof v);
}

/// Loads the first `count` lanes of a vector, of W at most; the others are `rest`. Nothing beyond
/// them is read.
template <class R, int W>
inline vector<R, W> load_first(const R* p, int count, R rest) {
#if defined(__AVX512F__)
  if constexpr (sizeof(R) * W == 64) {
    const unsigned mask = (1U << count) - 1;
    if constexpr (sizeof(R) == 8) {
      return _mm512_mask_loadu_pd(_mm512_set1_pd(rest), static_cast<__mmask8>(mask), p);
    } else {
      return _mm512_mask_loadu_ps(_mm512_set1_ps(rest), static_cast<__mmask16>(mask), p);
    }
  }
#endif
  R lanes[W];
  for (int l = 0; l < W; ++l) lanes[l] = l < count ? p[l] : rest;
  return load_vector<R, W>(lanes);
}
/// Stores the first `count` lanes of a vector, of W at most, and writes nothing beyond them.
template <class R, int W>
inline void store_first(R* p, vector<R, W> v, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof v == 64) {
    const unsigned mask = (1U << count) - 1;
    if constexpr (sizeof(R) == 8) {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v);
    } else {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), v);
    }
    return;
  }
#endif
  R lanes[W];
  store_vector<R, W>(lanes, v);
  for (int l = 0; l < count; ++l) p[l] = lanes[l];
}

/// Stores a vector, past the cache where asked for and the address allows it.
template <class R, int W>
inline void put_vector(R* p, vector<R, W> v, bool nontemporal) {
#if defined(__x86_64__)
  if constexpr (W > 1) {
    if (nontemporal && reinterpret_cast<std::uintptr_t>(p) % sizeof v == 0) {
#if defined(__AVX512F__)
      if constexpr (sizeof v == 64) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
        return;
      }
#endif
#if defined(__AVX__)
      if constexpr (sizeof v == 32) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
        return;
      }
#endif
      if constexpr (sizeof v == 16) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)v);
        return;
      }
    }
  }
#endif
  (void)nontemporal;
  store_vector<R, W>(p, v);
}

template <class V, int... I>
inline V shuffle(V a, V b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, I...);
}
template <class V>
inline constexpr int width_of = sizeof(V) / sizeof(std::declval<V>()[0]);

template <int W, int P, int First, int... I>
constexpr auto interleaving(std::integer_sequence<int, I...>) {
  return std::integer_sequence<int, (I / P * P + First + I % P / 2 + I % 2 * W)...>{};
}
template <int P, int First, int... I>
constexpr auto every_second(std::integer_sequence<int, I...>) {
  return std::integer_sequence<int, ((2 * (I / P) + First) * P + I % P)...>{};
}

/// Returns a0 b0 a1 b1 … of the lower (`Half` 0) or the upper halves (1) of each `P` elements.
template <int P, int Half, class V>
inline V pairs(V a, V b) {
  constexpr int w = width_of<V>, first = Half * P / 2;
  return shuffle(a, b, interleaving<w, P, first>(std::make_integer_sequence<int, w>{}));
}
/// Returns the pieces of `P` elements number 0, 2, 4, … (`First` 0) or 1, 3, 5, … (1) of a, then of
/// b.
template <int P, int First, class V>
inline V alternate(V a, V b) {
  return shuffle(a, b, every_second<P, First>(std::make_integer_sequence<int, width_of<V>>{}));
}

template <class V>
inline V low_pairs(V a, V b) {
  return pairs<width_of<V>, 0>(a, b);
}
template <class V>
inline V high_pairs(V a, V b) {
  return pairs<width_of<V>, 1>(a, b);
}
template <class V>
inline V evens(V a, V b) {
  return alternate<1, 0>(a, b);
}
template <class V>
inline V odds(V a, V b) {
  return alternate<1, 1>(a, b);
}

// One lane needs no shuffle: the two parts of a complex number are selected.
inline float evens(float a, float) { return a; }
inline double evens(double a, double) { return a; }
inline float odds(float, float b) { return b; }
inline double odds(double, double b) { return b; }
inline float low_pairs(float a, float) { return a; }
inline double low_pairs(double a, double) { return a; }
inline float high_pairs(float, float b) { return b; }
inline double high_pairs(double, double b) { return b; }

/// Transposes W x W elements in registers: first within pieces of 16 bytes, which most shuffles of
/// a processor stay in, then whole pieces.
template <class R, int W>
inline void transpose_registers(vector<R, W> (&a)[W]) {
  if constexpr (W > 1) {
    using V = vector<R, W>;
    constexpr int p = std::min<int>(W, 16 / sizeof(R)), pieces = W / p;
    // Each round interleaves row i of each p rows with row i + p/2 (a perfect shuffle; log2 p of
    // them make a transpose).
#pragma GCC unroll 4
    for (int round = 1; round < p; round *= 2) {
      V b[W];
#pragma GCC unroll 8
      for (int g = 0; g < W; g += p) {
#pragma GCC unroll 8
        for (int i = 0; i < p / 2; ++i) {
          b[g + 2 * i] = pairs<p, 0>(a[g + i], a[g + i + p / 2]);
          b[g + 2 * i + 1] = pairs<p, 1>(a[g + i], a[g + i + p / 2]);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) a[i] = b[i];
    }
    // Each round sorts the pieces of two rows, p apart, into even and odd ones.
#pragma GCC unroll 4
    for (int round = 1; round < pieces; round *= 2) {
      V b[W];
#pragma GCC unroll 8
      for (int i = 0; i < pieces / 2; ++i) {
#pragma GCC unroll 8
        for (int q = 0; q < p; ++q) {
          const V x = a[2 * i * p + q], y = a[(2 * i + 1) * p + q];
          b[i * p + q] = alternate<p, 0>(x, y);
          b[(i + pieces / 2) * p + q] = alternate<p, 1>(x, y);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) a[i] = b[i];
    }
  }
}

/// Sorts N W contiguous elements, which are N of each of W lines, by their numbers in a line.
template <class R, int W, int N>
inline void deinterleave(vector<R, W> (&a)[N]) {
  if constexpr (N > 1) {
    vector<R, W> even[N / 2], odd[N / 2];
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      even[i] = evens(a[2 * i], a[2 * i + 1]), odd[i] = odds(a[2 * i], a[2 * i + 1]);
    }
    deinterleave<R, W, N / 2>(even), deinterleave<R, W, N / 2>(odd);
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) a[2 * i] = even[i], a[2 * i + 1] = odd[i];
  }
}
/// Reverses deinterleave.
template <class R, int W, int N>
inline void interleave(vector<R, W> (&a)[N]) {
  if constexpr (N > 1) {
    vector<R, W> even[N / 2], odd[N / 2];
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) even[i] = a[2 * i], odd[i] = a[2 * i + 1];
    interleave<R, W, N / 2>(even), interleave<R, W, N / 2>(odd);
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; ++i) {
      a[2 * i] = low_pairs(even[i], odd[i]), a[2 * i + 1] = high_pairs(even[i], odd[i]);
    }
  }
}

/// Copies elements r to r + W - 1 of W lines into W rows, `pitch` apart.
template <class R, int W>
inline void transpose_in(const R* const (&lines)[W], index_t r, R* rows, index_t pitch) {
  vector<R, W> a[W];
#pragma GCC unroll 16
  for (int l = 0; l < W; ++l) a[l] = load_vector<R, W>(lines[l] + r);
  transpose_registers<R, W>(a);
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) store_vector<R, W>(rows + i * pitch, a[i]);
}
/// Copies W rows, `pitch` apart, to elements r to r + W - 1 of W lines; `put` stores a vector.
template <class R, int W, class Put>
inline void transpose_out(const R* rows, index_t pitch, R* const (&lines)[W], index_t r, Put put) {
  vector<R, W> a[W];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) a[i] = load_vector<R, W>(rows + i * pitch);
  transpose_registers<R, W>(a);
#pragma GCC unroll 16
  for (int l = 0; l < W; ++l) put.template put<R, W>(lines[l] + r, a[l]);
}

}  // namespace tridia::cpu::TRIDIA_ISA
