// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/split_line.hpp"
#include "compact/sum_groups.hpp"
#include "layout/geometry.hpp"

#include <optional>
#include <vector>

// Long lines on one device: first the right-hand sides of the rows at the borders of a line's
// parts, which are sums over points on both sides with weights known beforehand; then the parts,
// each a line of its own. No part reads points of another, so that one may be written before
// another is read.
namespace tridia::compact {

/// Neighbouring parts that are alike.
struct part_run {
  line_operator line;
  int parts;
  index_t point, row;  // of the whole line, where the first part begins
  index_t slot;        // of the first of their given right-hand sides, a number for each line each
};

struct line_split {
  index_t part_points;  // of every part but the last
  bool together;        // slots go from part to part, then on to the next row; else the other way
  std::vector<part_run> runs;
  sum_groups sums;     // each goes to its slot; points from the whole line's end on are its first
  index_t slots = 0;   // of a line
  index_t window = 0;  // points of the longest sum
};

/// How lines are to be split.
struct split_wish {
  index_t most_points;  // of a part, but for one row more in the last part of a staggered line
  index_t most_window;  // of a sum
  bool together;
};

/// Nothing where a line is too short for two parts or above 2^17 points, sums would be too long, or
/// a part alone is singular or nearly so. What is left out of a sum is below rounding.
std::optional<line_split> split(const line_operator& whole, value_type, const split_wish&);

/// Lines of all parts of a run, where they are done together: part after part.
layout::geometry lines_of(const layout::geometry& whole, const line_split&, const part_run&);

}  // namespace tridia::compact
