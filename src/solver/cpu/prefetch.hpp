// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/lane_group.hpp"

// These classes prefetch lines that are contiguous, or neighbours, a little at a time beside the
// arithmetic.
namespace tridia::cpu::TRIDIA_ISA {

/// Prefetches the lines that will be read next, a little at a time beside other work, in the order
/// in which they lie in memory: tiles are read from many places at once, which the hardware
/// prefetcher does not predict.
template <class V>
class read_prefetch {
 public:
  /// Sets what to prefetch: all rows of one group whose lines are contiguous, and follow each
  /// other, or are neighbours; null: nothing.
  void lines_of(const lane_group<V>* next, index_t rows) {
    at_ = due_ = end_ = 0;
    if (next == nullptr) return;
    const bool neighbours = next->in[layout::rhs].in_one_piece();
    if (!neighbours && !next->in[layout::rhs].in_lines()) return;
    // Memory takes longer than short lines, so that those further on are prefetched.
    const index_t further = !neighbours && rows < rows_ahead ? rows_ahead * row_bytes : 0;
    rhs_alone_ = next->in[layout::diag].address(0, 0) == nullptr;
    for (int a = rhs_alone_ ? layout::rhs : 0; a < 4; ++a) {
      base_[a] = next->in[a].address(0, 0) + further;
      // A row of neighbours is one piece, and the next row is elsewhere.
      gap_[a] = neighbours ? next->in[a].address(0, 1) - next->in[a].address(0, 0) - row_bytes : 0;
    }
    end_ = rows * row_bytes;
  }
  /// Prefetches are spread evenly over time: a processor drops those that come in bursts (Zen 5:
  /// half of the time). From each array come an eighth of what was moved into tiles or out of them,
  /// a quarter of a row of the forward sweep and an eighth of one of the backward sweep: in all,
  /// one group while one is solved. Substitution does a third of this, and calls do thrice as much.
  TRIDIA_FN void moved(int bytes) { next(bytes / 8); }
  TRIDIA_FN void forward_row() { next(row_bytes / 4); }
  TRIDIA_FN void backward_row() { next(row_bytes / 8); }

 private:
  static constexpr index_t rows_ahead = 24;
  static constexpr int row_bytes = packing<V>::reals * sizeof(typename packing<V>::scalar);

  // The second cache is near enough; a first one that is full of tiles would lose some of these.
  TRIDIA_FN void next(int bytes) {
    due_ += rhs_alone_ ? 3 * bytes : bytes;
    for (; at_ < due_ && at_ < end_; at_ += 64) {
      const index_t row = at_ / row_bytes;
      for (int a = rhs_alone_ ? layout::rhs : 0; a < 4; ++a) {
        __builtin_prefetch(base_[a] + at_ + row * gap_[a], 0, 2);
      }
    }
  }

  const char* base_[4];
  index_t gap_[4];
  index_t at_ = 0, due_ = 0, end_ = 0;
  bool rhs_alone_ = false;  // in substitution
};

/// This is the number of cache lines that a row of one array of a group takes.
template <class V>
inline constexpr int lines_a_row =
    packing<V>::reals* static_cast<int>(sizeof(typename packing<V>::scalar)) / 64;

/// Prefetches the memory of results before they are written, a few cache lines with each row of the
/// block after them.
template <class V>
class write_prefetch {
 public:
  /// Sets what to prefetch: the `rows` rows before row k0 of lines that are contiguous, and follow
  /// each other.
  void lines_before(const strided_lanes_of<V>& x, index_t k0, index_t rows) {
    left_ = 0;
    if (!x.in_lines() || k0 == 0) return;
    const index_t from = k0 > rows ? k0 - rows : 0;
    at_ = x.address(0, from);
    apart_ = x.address(1, from) - at_;
    each_ = at_each_ = static_cast<int>((x.address(0, k0) - at_ + 63) / 64);
    left_ = each_ * packing<V>::count;
  }
  TRIDIA_FN void next() {
    for (int i = 0; i < lines_a_row<V> && left_ > 0; ++i, --left_) {
      __builtin_prefetch(at_ + 64 * --at_each_, 1, 3);
      if (at_each_ == 0) at_ += apart_, at_each_ = each_;
    }
  }

 private:
  const char* at_ = nullptr;
  index_t apart_ = 0;
  int each_ = 0, at_each_ = 0, left_ = 0;
};

}  // namespace tridia::cpu::TRIDIA_ISA
