// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/parts/part_split.hpp"

#include <algorithm>

namespace tridia::cpu {
namespace {

/// A part has at least so many rows.
constexpr index_t least_rows = 16;
/// It has at most so many. What is kept of a group of them stays in the second-level cache.
constexpr index_t most_rows = 1056;
/// A line is cut into at least so many parts, unless they would be too short.
constexpr index_t wanted_parts = 128;
/// A batch has at most so many groups: several, so that the next one can be prefetched.
constexpr index_t most_groups = 16;

/// Where lines are neighbours, rows of a whole batch are copied to the second-level cache.
constexpr index_t most_copied_rows = 640;
constexpr int most_copied_groups = 2;

/// Parts of lines of so many rows have about `good_rows`, not less than `fewest_rows`, so that
/// their ends (part_ends) are a small share of them; what is left over of a line has as many as
/// these.
constexpr index_t long_rows = 16384, good_rows = 528, fewest_rows = 480, rows_of_ends = 96;

/// Returns whether parts of so many rows leave over enough of a line, and are not so far apart that
/// their cache lines compete for a place in the first-level cache.
bool suit(index_t rows, index_t of_line) {
  const index_t left = of_line % rows;
  return rows % 512 != 0 && (left == 0 || left >= rows_of_ends);
}

/// Returns the rows of a part. They depend on the line alone, so that its solution does, bit for
/// bit, whatever other lines are cut.
index_t rows_of_parts(const layout::geometry& g) {
  const index_t most = layout::is_interleaved(g) ? most_copied_rows : most_rows;
  const index_t wanted = g.rows / wanted_parts / 16 * 16;
  if (g.rows < long_rows) return std::clamp<index_t>(wanted, least_rows, good_rows);
  const index_t good = std::clamp<index_t>(wanted, good_rows, most);
  for (index_t rows = good; rows >= fewest_rows; rows -= 16) {
    if (suit(rows, g.rows)) return rows;
  }
  for (index_t rows = good; rows <= most; rows += 16) {
    if (suit(rows, g.rows)) return rows;
  }
  return good;
}

/// Returns the groups of a batch: few enough to leave work for many threads.
int groups_for(const layout::geometry& g, index_t parts, int lanes) {
  const int most = layout::is_interleaved(g) ? most_copied_groups : most_groups;
  return static_cast<int>(std::clamp<index_t>(parts / lanes / 64, 1, most));
}

/// Returns whether some lines share a matrix, so that it is read once if they are solved together.
bool share_matrices(const layout::geometry& g) {
  for (int k = 0; k < g.matrices.count; ++k) {
    if (g.matrices.at[k].stride[layout::diag] == 0) return true;
  }
  return false;
}

}  // namespace

bool part_split::is_possible(const layout::geometry& g) {
  return g.rows >= 2 * least_rows && g.matrices.size > 0 && g.right_sides.size > 0 &&
         g.matrices.count + g.right_sides.count <= layout::max_axes;
}

part_split::part_split(const layout::geometry& g, int lanes)
    : lines_(g.matrices.size),
      part_rows_(rows_of_parts(g)),
      full_(g.rows / part_rows_),
      left_over_(g.rows % part_rows_),
      part_major_(layout::is_interleaved(g) || share_matrices(g)),
      of_full_{lines_ * full_, lanes, groups_for(g, lines_ * full_, lanes)},
      of_left_over_{left_over_ > 0 ? lines_ : 0, lanes, groups_for(g, lines_, lanes)} {}

}  // namespace tridia::cpu
