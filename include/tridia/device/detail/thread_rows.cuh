// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/chunk.hpp"
#include "tridia/device/detail/core/tagged_bit.hpp"
#include "tridia/device/row.cuh"

#include <utility>

namespace tridia::device::detail {

/// Says whether neighbouring threads make, and take, rows of a line that follow each other, whoever
/// has them in his chunk.
struct row_by_row {
  bool made, taken;
};
constexpr row_by_row rows_in_order(neighbours order, int threads_a_line) {
  const bool made = order == neighbours::rows && threads_a_line > 1;
  return {made, made || (order == neighbours::chunks_then_rows && threads_a_line > 1)};
}

/// Holds what threads keep of their rows from one sweep to the next, and x. Rows that are not made
/// by their own thread come here first.
template <class T, int RowsAThread, int ThreadsALine, int Lines, pivoting P, int Sides,
          neighbours Order>
struct rows_memory {
  using value = T;
  static constexpr row_by_row by = rows_in_order(Order, ThreadsALine);
  static constexpr int threads = ThreadsALine * Lines;
  static constexpr int matrix_words = by.made || P == pivoting::partial ? 3 : 2;
  static constexpr int row_words = matrix_words + Sides;
  // Neighbouring threads touch neighbouring elements, or such as an odd number of elements lies
  // between.
  static constexpr int pitch = by.taken ? RowsAThread | 1 : RowsAThread;
  static constexpr int plane = pitch * threads;
  T words[row_words * plane];

  /// Returns where word `w` of row `k` of a thread's chunk is. `InLines`: the rows of a line are as
  /// far apart in all of a plane, so that inputs may have the same order.
  template <bool InLines>
  __device__ __forceinline__ T& word(int w, int k, int thread) {
    int place = k * threads + thread;
    if constexpr (by.taken) {
      place = thread * pitch + k;
    } else if constexpr (InLines) {
      place = (thread / Lines * RowsAThread + k) * Lines + thread % Lines;
    }
    return words[w * plane + place];
  }
  static constexpr bool may_have_inputs =
      by.taken ? pitch == RowsAThread : Order == neighbours::lines;
  static constexpr int row_step = by.taken ? 1 : Lines,
                       line_step = by.taken ? ThreadsALine * RowsAThread : 1;
};

/// Says which rows of a line of `rows` rows threads have together: from `first` on, `here` of them.
struct row_range {
  int rows, first, here;
};

/// Accesses the rows of a thread's chunk as core/chunk.hpp wants them. Rows count from the first
/// one that the threads have, but for users. `InLines` as `rows_memory::word` has it.
template <class T, int RowsAThread, int ThreadsALine, int Lines, boundary B, pivoting P, int Sides,
          neighbours Order, class RowOf, bool InLines = requires { RowOf::from_chip; }>
class thread_rows {
  using values = sides_of<T, Sides>;
  using pivot_row = typename core::chunk<T, pivoting::partial, values>::pivot_row;

 public:
  using memory = rows_memory<T, RowsAThread, ThreadsALine, Lines, P, Sides, Order>;
  static constexpr row_by_row by = memory::by;
  /// Rows are made from what the threads have on chip: nothing has to be under way together.
  static constexpr bool from_chip = requires { RowOf::from_chip; };

  __device__ __forceinline__ thread_rows(memory& m, RowOf& row_of, const row_range& range,
                                         int chunk, int thread)
      : memory_(m),
        row_of_(row_of),
        range_(range),
        chunk_(chunk),
        thread_(thread),
        first_(chunk * RowsAThread),
        count_(min(range.here - first_, RowsAThread)) {}

  /// Returns the number of the thread's rows; below 0 stands for none. (Of max(min(n, 3), 0) ptxas
  /// 13.0 makes a VIMNMX.RELU, and a loop over so many rows goes by a wrong predicate of it.)
  [[nodiscard]] __device__ __forceinline__ int count() const { return count_; }

  /// Makes rows of this thread's line, if it makes those of others, some at a time, so that what
  /// they read is under way together. A barrier has to follow.
  __device__ __forceinline__ void stage() {
    if constexpr (by.made) {
      constexpr int together = Sides == 1 ? 4 : 2;
      const int all = taken();
      int i = 0;
      for (; i + together <= all; i += together) stage_rows<together>(i);
      for (; i < all; ++i) stage_rows<1>(i);
    }
  }
  /// Hands out x of this thread's share of the rows, or NaN.
  template <class Take>
  __device__ __forceinline__ void give(bool good, Take&& take) {
    for (int i = 0; i < taken(); ++i) {
      const place p = place_of(i);
      T x[Sides];
#pragma unroll
      for (int j = 0; j < Sides; ++j) {
        x[j] = good ? word_of(rhs_word + j, p) : core::not_a_number<T>();
      }
      detail::give<T, Sides>(take, range_.first + p.row, x);
    }
  }

  // The chunk asks for the right-hand sides of a row right after the row.
  __device__ __forceinline__ core::row<T> get(int k) const {
    if constexpr (by.made) return {word(sub, k), word(diag, k), word(sup, k)};
    const row<T, Sides> r = made(first_ + k);
#pragma unroll
    for (int j = 0; j < Sides; ++j) side(rhs_, j) = r.rhs[j];
    return {r.sub, r.diag, r.sup};
  }
  __device__ __forceinline__ values rhs(int k) const {
    if constexpr (by.made) return kept_sides(k);
    return rhs_;
  }

  __device__ __forceinline__ void keep(int k, const T& a, const T& b, const values& c) {
    word(sub, k) = a, word(sup, k) = b;
    put(k, c);
  }
  __device__ __forceinline__ void kept(int k, T& a, T& b, values& c) const {
    a = word(sub, k), b = word(sup, k), c = kept_sides(k);
  }
  __device__ __forceinline__ void keep_pivot(int k, const pivot_row& r) {
    word(sub, k) = core::with_tag(r.next, r.entered), word(sup, k) = r.other;
    word(diag, k) = r.first;
    put(k, r.rhs);
  }
  __device__ __forceinline__ pivot_row kept_pivot(int k) const {
    const T next = word(sub, k);
    return {next, word(sup, k), word(diag, k), kept_sides(k), core::tag_of(next)};
  }
  __device__ __forceinline__ void put(int k, const values& x) {
#pragma unroll
    for (int j = 0; j < Sides; ++j) word(rhs_word + j, k) = side(x, j);
  }

 private:
  // Words of a row; what is kept takes their places. Without interchanges, and where threads make
  // their own rows, there is no diag.
  static constexpr int sub = 0, sup = 1, diag = 2, rhs_word = memory::matrix_words;

  /// A row that this thread takes, and where it is kept: row `at` of a thread's chunk.
  struct place {
    int row, at, owner;
  };
  [[nodiscard]] __device__ __forceinline__ int taken() const {
    return by.taken ? (range_.here - chunk_ + ThreadsALine - 1) / ThreadsALine : count_;
  }
  [[nodiscard]] __device__ __forceinline__ place place_of(int i) const {
    if constexpr (!by.taken) return {first_ + i, i, thread_};
    const int row = chunk_ + i * ThreadsALine;
    return {row, row % RowsAThread, thread_ - chunk_ + row / RowsAThread};
  }
  template <int Count>
  __device__ __forceinline__ void stage_rows(int i) {
    row<T, Sides> rows[Count];
#pragma unroll
    for (int j = 0; j < Count; ++j) rows[j] = made(place_of(i + j).row);
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      const place p = place_of(i + j);
      word_of(sub, p) = rows[j].sub;
      word_of(diag, p) = rows[j].diag;
      word_of(sup, p) = rows[j].sup;
#pragma unroll
      for (int s = 0; s < Sides; ++s) word_of(rhs_word + s, p) = rows[j].rhs[s];
    }
  }
  [[nodiscard]] __device__ __forceinline__ row<T, Sides> made(int k) const {
    return make_row<T, B, Sides>(row_of_, range_.first + k, range_.rows);
  }
  __device__ __forceinline__ T& word(int w, int k) const {
    return memory_.template word<InLines>(w, k, thread_);
  }
  __device__ __forceinline__ T& word_of(int w, const place& p) const {
    return memory_.template word<InLines>(w, p.at, p.owner);
  }
  __device__ __forceinline__ values kept_sides(int k) const {
    values all;
#pragma unroll
    for (int j = 0; j < Sides; ++j) side(all, j) = word(rhs_word + j, k);
    return all;
  }

  memory& memory_;
  RowOf& row_of_;
  row_range range_;
  int chunk_, thread_, first_, count_;
  mutable values rhs_{};
};

/// Makes the rows of a thread's chunk four at a time, so that what they read from memory is under
/// way together, for a reduction without interchanges: that asks for them one after another.
template <class Rows>
class rows_ahead {
 public:
  __device__ __forceinline__ explicit rows_ahead(Rows& rows) : rows_(rows) {}

  __device__ __forceinline__ auto get(int k) {
    if (k % together == 0) {
      // No branch lies between loads where all of these rows are there.
      if (k + together <= rows_.count()) {
        make<true>(k);
      } else {
        make<false>(k);
      }
    }
    now_ = ahead_[0];
#pragma unroll
    for (int j = 1; j < together; ++j) {
      if (k % together == j) now_ = ahead_[j];
    }
    return now_.matrix;
  }
  __device__ __forceinline__ auto rhs(int) const { return now_.rhs; }
  template <class T, class R>
  __device__ __forceinline__ void keep(int k, const T& a, const T& b, const R& c) {
    rows_.keep(k, a, b, c);
  }

 private:
  static constexpr int together = 4;
  struct row {
    decltype(std::declval<Rows&>().get(0)) matrix;
    decltype(std::declval<Rows&>().rhs(0)) rhs;
  };
  template <bool All>
  __device__ __forceinline__ void make(int k) {
#pragma unroll
    for (int j = 0; j < together; ++j) {
      if (!All && k + j >= rows_.count()) continue;
      const auto matrix = rows_.get(k + j);
      ahead_[j] = {matrix, rows_.rhs(k + j)};
    }
  }

  Rows& rows_;
  row now_{}, ahead_[together]{};
};

}  // namespace tridia::device::detail
