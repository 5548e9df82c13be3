// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/alignment.hpp"
#include "solver/cpu/group_batch.hpp"
#include "solver/cpu/parts/part_split.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tridia::cpu {

/// Copies rows of lines that are neighbours in memory to the second-level cache, for a batch of
/// parts: so they are read in pieces of all its groups, which a processor fetches ahead, where
/// kernels would read one group after another.
template <class V>
class row_copies {
 public:
  row_copies(const layout::geometry& lines, const part_split& split)
      : lines_(lines), copied_(lines), pitch_(split.most_lanes()) {
    if (!layout::is_interleaved(lines)) return;
    const layout::axis& fastest = lines.matrices.at[lines.matrices.count - 1];
    for (int a = 0; a < layout::x; ++a) {
      is_copied_[a] = fastest.stride[a] == 1;
      if (!is_copied_[a]) continue;
      copied_.lines[a] = {0, pitch_};
      bytes_ += array_bytes(split.part_rows());
    }
    copied_.corners = layout::edge::absent;
    copied_.edges_readable = false;
  }

  /// Returns the bytes that a batch takes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Copies the rows of a batch, whose groups have `lanes`, to memory, and lets it read them there.
  void take(group_batch& batch, int lanes, std::byte* to) const {
    if (bytes_ == 0) return;
    for (int a = 0; a < layout::x; ++a) {
      if (!is_copied_[a]) continue;
      copy(batch, a, reinterpret_cast<V*>(to));
      batch.in[a] = to;
      for (int l = 0; l < batch.groups * lanes; ++l) {
        batch.line[a][l] = l < batch.live ? l : (batch.groups - 1) * lanes;
      }
      to += array_bytes(batch.rows);
    }
    batch.g = &copied_;
  }

 private:
  /// A row is prefetched so many rows before it is copied, and so many bytes where rows are short.
  static constexpr index_t rows_ahead = 4, bytes_ahead = 2048;

  [[nodiscard]] std::size_t array_bytes(index_t rows) const {
    return layout::round_up(static_cast<std::size_t>(rows * pitch_) * sizeof(V));
  }

  /// Calls f(count), of a constant where rows are so short that calling a copy of any length would
  /// take longer than copying them.
  template <class F>
  static void with_count(int count, F f) {
    constexpr int short_rows = 16;
    const auto as_constant = [&]<int... I>(std::integer_sequence<int, I...>) {
      return ((count == I + 1 && (f(std::integral_constant<int, I + 1>{}), true)) || ...);
    };
    if (!as_constant(std::make_integer_sequence<int, short_rows>{})) f(count);
  }
  template <class Count>
  static void copy_row(const V* row, index_t step, Count count, V* to) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(V);
    const index_t ahead = std::max(rows_ahead, bytes_ahead / static_cast<index_t>(bytes));
    for (int i = 0; i < count; i += 64 / static_cast<int>(sizeof(V))) {
      __builtin_prefetch(row + ahead * step + i, 0, 2);
    }
    std::memcpy(static_cast<void*>(to), row, bytes);
  }

  /// Copies an array's rows of all lines of a batch, those of neighbours together.
  void copy(const group_batch& batch, int a, V* to) const {
    const auto [origin, step] = lines_.lines[a];
    const auto* const from = static_cast<const V*>(batch.in[a]) + origin;
    const index_t* const line = batch.line[a];
    // The couplings to other parts are read elsewhere, and at the ends there may be none.
    const index_t begin = a == layout::sub ? 1 : 0, end = batch.rows - (a == layout::sup ? 1 : 0);
    for (int l = 0, next; l < batch.live; l = next) {
      for (next = l + 1; next < batch.live && line[next] == line[next - 1] + 1;) ++next;
      with_count(next - l, [&](auto count) {
        for (index_t k = begin; k < end; ++k) {
          copy_row(from + line[l] + k * step, step, count, to + k * pitch_ + l);
        }
      });
    }
  }

  layout::geometry lines_, copied_;
  index_t pitch_;  // from one row of copies to the next
  bool is_copied_[4] = {};
  std::size_t bytes_ = 0;
};

}  // namespace tridia::cpu
