// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/chunk.hpp"
#include "tridia/device/detail/core/tagged_bit.hpp"
#include "tridia/device/row.cuh"

namespace tridia::device::detail {

/// Holds what threads keep of their rows from one sweep to the next, and, of rows with several
/// right-hand sides, the rows themselves. Neighbouring threads touch neighbouring elements.
template <class T, int RowsAThread, int Threads, pivoting P, int Sides>
struct rows_memory {
  static constexpr int kept_words = P == pivoting::partial ? 4 : 3;
  static constexpr int given_words = Sides > 1 ? 3 + Sides : 0;
  T words[(kept_words + given_words) * RowsAThread * Threads];
};

/// Accesses the rows of a thread's chunk as core/chunk.hpp wants them.
template <class T, int RowsAThread, int Threads, boundary B, pivoting P, int Sides, class RowOf>
class thread_rows {
  static constexpr int kept_words = P == pivoting::partial ? 4 : 3;
  static constexpr int x_word = kept_words - 1;

 public:
  template <class Memory>
  __device__ __forceinline__ thread_rows(Memory& memory, RowOf& row_of, int n, int chunk,
                                         int thread)
      : at_(memory.words + thread),
        row_of_(row_of),
        n_(n),
        first_(chunk * RowsAThread),
        count_(max(min(n - first_, RowsAThread), 0)) {
    if constexpr (Sides > 1) {
      for (int k = 0; k < count_; ++k) {
        const row<T, Sides> r = make_row<T, B, Sides>(row_of_, first_ + k, n_);
        given(0, k) = r.sub, given(1, k) = r.diag, given(2, k) = r.sup;
#pragma unroll
        for (int j = 0; j < Sides; ++j) given(3 + j, k) = r.rhs[j];
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ int count() const { return count_; }
  __device__ __forceinline__ void select(int side) { side_ = side; }
  /// Keeps x of this side, in the place of its right-hand side.
  __device__ __forceinline__ void accept() {
    if constexpr (Sides > 1) {
      for (int k = 0; k < count_; ++k) given(3 + side_, k) = word(x_word, k);
    }
  }
  template <class Take>
  __device__ __forceinline__ void give(bool good, Take& take) {
    for (int k = 0; k < count_; ++k) {
      T x[Sides];
#pragma unroll
      for (int j = 0; j < Sides; ++j) {
        const T found = Sides > 1 ? given(3 + j, k) : word(x_word, k);
        x[j] = good ? found : core::not_a_number<T>();
      }
      detail::give<T, Sides>(take, first_ + k, x);
    }
  }

  // The chunk asks for the right-hand side of a row right after the row.
  __device__ __forceinline__ core::row<T> get(int k) const {
    if constexpr (Sides > 1) return {given(0, k), given(1, k), given(2, k)};
    const row<T, Sides> r = make_row<T, B, Sides>(row_of_, first_ + k, n_);
    rhs_ = r.rhs[0];
    return {r.sub, r.diag, r.sup};
  }
  __device__ __forceinline__ T rhs(int k) const {
    if constexpr (Sides > 1) return given(3 + side_, k);
    return rhs_;
  }

  __device__ __forceinline__ void keep(int k, T a, T b, T c) {
    word(0, k) = a, word(1, k) = b, word(2, k) = c;
  }
  __device__ __forceinline__ void kept(int k, T& a, T& b, T& c) const {
    a = word(0, k), b = word(1, k), c = word(2, k);
  }
  __device__ __forceinline__ void keep_pivot(int k, const core::pivot_row_of<T>& r) {
    word(0, k) = core::with_tag(r.next, r.entered), word(1, k) = r.other;
    word(2, k) = r.first, word(3, k) = r.rhs;
  }
  __device__ __forceinline__ core::pivot_row_of<T> kept_pivot(int k) const {
    const T next = word(0, k);
    return {next, word(1, k), word(2, k), word(3, k), core::tag_of(next)};
  }
  __device__ __forceinline__ void put(int k, T x) { word(x_word, k) = x; }

 private:
  __device__ __forceinline__ T& word(int w, int k) const {
    return at_[(w * RowsAThread + k) * Threads];
  }
  __device__ __forceinline__ T& given(int w, int k) const { return word(kept_words + w, k); }

  T* at_;
  RowOf& row_of_;
  int n_, first_, count_, side_ = 0;
  mutable T rhs_{};
};

}  // namespace tridia::device::detail
