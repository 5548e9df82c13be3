// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/part_kernels.hpp"
#include "solver/executor.hpp"

namespace tridia::cpu {

/// Holds a batch of rows of lines, and what its lanes are.
template <class V>
struct part_lanes : part_batch {
  V entries_of_before[max_systems], entries_of_after[max_systems];
  index_t line_of[max_systems], number_of[max_systems];
  bool interchanged_of[max_systems];

  /// Begins a batch of lanes of `rows` rows; `g` has no corners.
  void start(const layout::geometry& g, const solver::operands& o, index_t rows) {
    lines.g = &g;
    for (int a = 0; a < 4; ++a) lines.in[a] = o.in[a];
    lines.x = o.x;
    lines.status = nullptr;
    lines.rows = rows;
    lines.reversed = lines.nontemporal = lines.prefetch_for_write = lines.by_rows = false;
    lines.longest_pad = 0;
    lines.live = 0;
    before = after = true;
    entries_before = entries_of_before;
    entries_after = entries_of_after;
    interchanged = interchanged_of;
  }
  /// Adds the rows of a line from `first` on, whose matrix is that of the rows from `of_matrix` on;
  /// `entry_before` and `entry_after` couple them to others.
  void add(const layout::geometry& g, index_t line, index_t first, index_t of_matrix,
           const V& entry_before, const V& entry_after, const value_place& at) {
    const int l = lines.live++;
    index_t begin[layout::array_count];
    g.line_offsets(line, 0, begin);
    for (int a = 0; a <= layout::x; ++a) {
      lines.line[a][l] = begin[a] + (a < layout::rhs ? of_matrix : first) * g.lines[a].step;
    }
    lines.first[l] = 0;
    place[l] = at;
    entries_of_before[l] = entry_before, entries_of_after[l] = entry_after;
  }
  /// Ends the batch, for kernels of so many lanes.
  void finish(int lanes) {
    lines.groups = lines.room = (lines.live + lanes - 1) / lanes;
    for (int l = lines.live; l < lines.groups * lanes; ++l) {
      for (auto& line : lines.line) line[l] = line[(lines.groups - 1) * lanes];
      lines.first[l] = 0;
    }
  }
};

}  // namespace tridia::cpu
