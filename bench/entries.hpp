// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cmath>
#include <cstdint>

// This file defines what the benchmark's systems hold and how a solution is judged, on the host and
// on the device.
#if defined(__CUDACC__)
#define TRIDIA_BENCH_FN __host__ __device__
#else
#define TRIDIA_BENCH_FN
#endif

namespace tridia_bench {

using tridia::index_t;

/// Names the real type: double for double and for complex numbers of doubles, and so on.
template <class T>
struct real_of {
  using type = T;
};
template <class T>
requires requires { typename T::value_type; }
struct real_of<T> {
  using type = typename T::value_type;
};

/// Hashes by splitmix64: every element depends on its own number alone, so that threads can fill in
/// any order.
TRIDIA_BENCH_FN inline std::uint64_t hash(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Returns a number from U(-1, 1), never zero.
TRIDIA_BENCH_FN inline double uniform(std::uint64_t stream, index_t i) {
  const std::uint64_t bits = hash(stream * 0x100000000000 + static_cast<std::uint64_t>(i));
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-51 - 1.0;
}

/// A seed's streams take up `kStreams` numbers; the function returns element i of a stream.
inline constexpr std::uint64_t kStreams = 16;
template <class T>
TRIDIA_BENCH_FN T uniform_value(std::uint64_t stream, index_t i) {
  using R = typename real_of<T>::type;
  if constexpr (requires { typename T::value_type; }) {
    return T(static_cast<R>(uniform(stream, i)), static_cast<R>(uniform(stream + 8, i)));
  } else {
    return static_cast<R>(uniform(stream, i));
  }
}

template <class T>
struct row_entries {
  T lower, diagonal, upper;
};

/// Returns row i of all rows; if `dominant`, it is diagonally dominant. `seed` is a multiple of
/// `kStreams`.
template <class T>
TRIDIA_BENCH_FN row_entries<T> entries_of(bool dominant, std::uint64_t seed, index_t i) {
  using R = typename real_of<T>::type;
  using std::abs;
  row_entries<T> e{uniform_value<T>(seed + 1, i), uniform_value<T>(seed + 3, i),
                   uniform_value<T>(seed + 2, i)};
  if (dominant) {
    const R u = static_cast<R>(uniform(seed + 4, i));
    const R size = abs(e.lower) + abs(e.upper) + abs(u) + R(0.1);
    e.diagonal *= size / abs(e.diagonal);
  }
  return e;
}

/// Returns row i of op(A), a matrix of n rows; those of row k are element `at(k)` of their arrays.
template <class T, class Place>
TRIDIA_BENCH_FN row_entries<T> row_of_operation(const T* dl, const T* d, const T* du, index_t i,
                                                index_t n, const Place& at, bool periodic,
                                                bool transposed) {
  const bool first = i == 0, last = i + 1 == n;
  row_entries<T> e{T{}, d[at(i)], T{}};
  if (!first || periodic) e.lower = transposed ? du[at(first ? n - 1 : i - 1)] : dl[at(i)];
  if (!last || periodic) e.upper = transposed ? dl[at(last ? 0 : i + 1)] : du[at(i)];
  return e;
}

template <class T>
TRIDIA_BENCH_FN T rhs_of(std::uint64_t seed, index_t i) {
  return uniform_value<T>(seed + 5, i);
}

/// Holds infinity norms of a system, or of some of its rows: |A x - rhs|, |A|, |x|, |rhs|.
template <class R>
struct residual_norms {
  R residual = 0, a = 0, x = 0, b = 0;

  /// Adds a row: its entries (0 outside the matrix), x before, at and after it, its right-hand
  /// side.
  template <class T>
  TRIDIA_BENCH_FN void add(const row_entries<T>& e, T before, T at, T after, T rhs) {
    using std::abs;
    const T zero{};
    T r = e.diagonal * at - rhs;
    // Values outside the matrix may be NaN, and belong to another system.
    if (e.lower != zero) r += e.lower * before;
    if (e.upper != zero) r += e.upper * after;
    keep_larger(residual, abs(r));
    keep_larger(a, abs(e.lower) + abs(e.diagonal) + abs(e.upper));
    keep_larger(x, abs(at));
    keep_larger(b, abs(rhs));
  }
  /// Returns residual / (a x + b); a value that is not finite gives infinity.
  [[nodiscard]] TRIDIA_BENCH_FN double relative() const {
    const double value = static_cast<double>(residual) /
                         (static_cast<double>(a) * static_cast<double>(x) + static_cast<double>(b));
    return value <= 1e300 ? value : HUGE_VAL;
  }
  /// Keeps the larger value; NaN is larger than everything, and stays.
  TRIDIA_BENCH_FN static void keep_larger(R& largest, R value) {
    if (largest == largest && !(value <= largest)) largest = value;
  }
};

}  // namespace tridia_bench
