// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "solver/cuda/factored/substitute.hpp"
#include "solver/system.hpp"

// A lane substitutes in its right-hand side in shared memory, in place, row after row. The
// dependent chain from a row to the next is one operation, so everything else a row needs is in
// registers by then: rows go in blocks, and what the next block needs is read before this one is
// dealt with. (Read row by row, a warp alone on its scheduler would wait for every read.) Rows that
// do not fill a block are read as they come.
namespace tridia::cuda {

/// Reads `Count` consecutive values, 16 bytes at a time where they make up so many.
template <int Count, class V>
__device__ __forceinline__ void read_values(const V* from, V (&to)[Count]) {
  if constexpr (Count * sizeof(V) % 16 == 0) {
    struct alignas(16) pack {
      V v[Count];
    };
    const pack p = *reinterpret_cast<const pack*>(from);
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = p.v[i];
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = from[i];
  }
}
template <int Count, class V>
__device__ __forceinline__ void write_values(V* to, const V (&from)[Count]) {
  if constexpr (Count * sizeof(V) % 16 == 0) {
    struct alignas(16) pack {
      V v[Count];
    } p;
#pragma unroll
    for (int i = 0; i < Count; ++i) p.v[i] = from[i];
    *reinterpret_cast<pack*>(to) = p;
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = from[i];
  }
}

/// Holds the factors of one matrix in shared memory, the values of L apart from those of U. Rows
/// outside can be read, and mean nothing.
template <class V, class E>
struct shared_factors {
  static constexpr int lower_values = E::lower_values, upper_values = E::upper_values;
  static constexpr int ahead = rows_ahead(true, sizeof(V), lower_values);
  V *lower, *upper;

  /// Returns the factors' places in `memory`, which begins at a multiple of 16 bytes.
  static __device__ __forceinline__ shared_factors in(V* memory, int rows) {
    return {memory, memory + whole((rows + ahead) * lower_values) + ahead * upper_values};
  }
  __device__ __forceinline__ V* end(int rows) const {
    return upper - ahead * upper_values + whole((rows + ahead) * upper_values);
  }
  __device__ __forceinline__ void read_lower(index_t k, V (&w)[lower_values]) const {
    read_values(lower + k * lower_values, w);
  }
  __device__ __forceinline__ void read_upper(index_t k, V (&w)[upper_values]) const {
    read_values(upper + k * upper_values, w);
  }

 private:
  static __device__ __forceinline__ int whole(int elements) {
    constexpr int granule = sizeof(V) < 16 ? 16 / static_cast<int>(sizeof(V)) : 1;
    return (elements + granule - 1) / granule * granule;
  }
};

/// Reads factors from device memory, in the layout of system_memory.hpp.
template <class V, class E>
struct global_factors {
  static constexpr int lower_values = E::lower_values, upper_values = E::upper_values;
  static constexpr int ahead = rows_ahead(false, sizeof(V), lower_values);
  solver::row_values<V> at;
  index_t rows;

  __device__ __forceinline__ void read_lower(index_t k, V (&w)[lower_values]) const {
    const V* const row = at.base + min(k, rows - 1) * at.row_step;
#pragma unroll
    for (int i = 0; i < lower_values; ++i) w[i] = row[i * at.value_step];
  }
  __device__ __forceinline__ void read_upper(index_t k, V (&w)[upper_values]) const {
    const V* const row = at.base + max(k, index_t{0}) * at.row_step + lower_values * at.value_step;
#pragma unroll
    for (int i = 0; i < upper_values; ++i) w[i] = row[i * at.value_step];
  }
};

/// Implements the interface that core/line.hpp asks for. `Lines`: rows are neighbours in shared
/// memory, and groups of them are read and written as one, 16 bytes.
template <class V, class E, bool Lines, class Factors>
struct thread_substitution {
  static constexpr int block = Factors::ahead;
  static constexpr int group = Lines && sizeof(V) < 16 ? 16 / static_cast<int>(sizeof(V)) : 1;
  V* at;
  int step;
  Factors factors;

  // These functions access one row at a time.
  __device__ __forceinline__ void fetch(index_t, index_t) {}
  __device__ __forceinline__ void open(index_t) {}
  __device__ __forceinline__ void flush(index_t, index_t) {}
  __device__ __forceinline__ V y(index_t k) const { return *row(k); }
  __device__ __forceinline__ V get(index_t k) const { return y(k); }
  __device__ __forceinline__ V get(index_t k, typename E::upper& u) const {
    V w[E::upper_values];
    factors.read_upper(k, w);
    u.get(w);
    return y(k);
  }
  __device__ __forceinline__ void get_lower(index_t k, typename E::lower& l) const {
    V w[E::lower_values];
    factors.read_lower(k, w);
    l.get(w);
  }
  __device__ __forceinline__ void put(index_t k, V v) const { *row(k) = v; }

  /// Substitutes in this lane's right-hand side; `failed` is that of core::substitute_line.
  template <class Failed>
  __device__ __forceinline__ void solve(index_t n, Failed failed) {
    core::substitution<V, E> down{};
    const index_t entering = core::entering_rows<E>(n);
    down.start(n, {n, n}, *this);
    rows_down even, odd;
    read(0, even);
    index_t k = 1;
    const auto next = [&](rows_down& now, rows_down& then) {
      read(k - 1 + block, then);
      V out[block];
      block_down rows{*this, now, then, k - 1, out};
      down.rows(1, 1 + block, rows, rows, rows);
      k += block;
    };
#pragma unroll 1
    while (k + 2 * block <= entering) next(even, odd), next(odd, even);
    if (k + block <= entering) next(even, odd);
    down.rows(k, entering, *this, *this, *this);
    down.finish(n, *this, *this);
    core::expand_checked(
        down.y, [&] { return expand(n); }, failed);
  }

 private:
  __device__ __forceinline__ V* row(index_t k) const { return at + k * (Lines ? 1 : step); }
  __device__ __forceinline__ V expand(index_t n) {
    core::expansion<V, E> back;
    index_t k = (n - E::tail) / block * block;
    back.rows(k, n, true, *this, *this);
    rows_up even, odd;
    if (k > 0) read(k - block, even);
    const auto next = [&](rows_up& now, rows_up& then) {
      read(k - 2 * block, then);
      V out[block];
      block_up rows{*this, now, k - block, out};
      back.rows(0, block, false, rows, rows);
      k -= block;
    };
#pragma unroll 1
    while (k >= 2 * block) next(even, odd), next(odd, even);
    if (k > 0) next(even, odd);
    return back.value;
  }

  /// Holds what the rows of a block need. Its indices are known at compile time, so all of it is in
  /// registers.
  struct rows_down {
    V rhs[block], word[block][E::lower_values];
  };
  struct rows_up {
    V y[block], word[block][E::upper_values];
  };
  __device__ __forceinline__ void read_sides(index_t k, V (&to)[block]) const {
#pragma unroll
    for (int i = 0; i < block; i += group) {
      V part[group];
      read_values(row(k + i), part);
#pragma unroll
      for (int j = 0; j < group; ++j) to[i + j] = part[j];
    }
  }
  __device__ __forceinline__ void read(index_t k, rows_down& to) const {
    read_sides(k, to.rhs);
#pragma unroll
    for (int i = 0; i < block; ++i) factors.read_lower(k + i, to.word[i]);
  }
  __device__ __forceinline__ void read(index_t k, rows_up& to) const {
    read_sides(k, to.y);
#pragma unroll
    for (int i = 0; i < block; ++i) factors.read_upper(k + i, to.word[i]);
  }
  __device__ __forceinline__ void write_group(index_t first, const V (&from)[block],
                                              index_t i) const {
    V part[group];
#pragma unroll
    for (int j = 0; j < group; ++j) part[j] = from[i + j];
    write_values(row(first), part);
  }

  /// Does rows base + 1 to base + block of the forward substitution, each with y of the row before
  /// it; `base` is a multiple of `block`, and rows are counted from there.
  struct block_down {
    const thread_substitution line;
    const rows_down &now, &then;
    const index_t base;
    V (&out)[block];

    __device__ __forceinline__ V get(index_t i) const {
      return i < block ? now.rhs[i % block] : then.rhs[0];
    }
    __device__ __forceinline__ void get_lower(index_t i, typename E::lower& l) const {
      l.get(now.word[i]);
    }
    __device__ __forceinline__ void put(index_t i, V y) const {
      out[i] = y;
      if ((i + 1) % group == 0) line.write_group(base + i + 1 - group, out, i + 1 - group);
    }
  };

  /// Does rows base + block - 1 to base of the back substitution, counted from base.
  struct block_up {
    const thread_substitution line;
    const rows_up& now;
    const index_t base;
    V (&out)[block];

    __device__ __forceinline__ void open(index_t) const {}
    __device__ __forceinline__ void flush(index_t, index_t) const {}
    __device__ __forceinline__ V get(index_t i, typename E::upper& u) const {
      u.get(now.word[i]);
      return now.y[i];
    }
    __device__ __forceinline__ void put(index_t i, V x) const {
      out[i] = x;
      if (i % group == 0) line.write_group(base + i, out, i);
    }
  };
};

}  // namespace tridia::cuda
