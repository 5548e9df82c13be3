// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "line_operator/split_line.hpp"
#include "line_operator/sum_groups.hpp"

#include <optional>
#include <vector>

// Long lines on one device are solved in two steps: first the right-hand sides of the rows at the
// borders of a line's parts, which are sums over points on both sides with weights known
// beforehand; then the parts, each a line of its own. No part reads points of another, so that one
// may be written before another is read. Where B comes last, results that need the solution of two
// parts are such sums as well.
namespace tridia::line_operator {

/// A run is neighbouring parts that are alike.
struct part_run {
  specification line;
  int first, parts;
  index_t point, row;  // of the whole line, where the first part begins
  index_t slot;        // of the first of their prescribed right-hand sides
};

/// Says how parts that are alike are done: each by itself (apart); or together, as lines of one
/// more axis, before all others; or, where nothing lies between the lines of the slowest axis, as
/// more lines of it (within).
enum class part_order { apart, before, within };

struct line_split {
  index_t part_points;  // of every part but the last
  part_order order;
  std::vector<part_run> runs;
  sum_groups sums;     // each goes to its slot; points from the whole line's end on are its first
  index_t slots = 0;   // of a line
  index_t window = 0;  // points of the longest sum
  // This says where a line's number of a slot lies. Statuses of parts lie in the order of the
  // parts' first prescribed right-hand sides.
  slot_order places{};

  [[nodiscard]] int parts() const { return runs.back().first + runs.back().parts; }
};

/// Holds the limits for splitting lines.
struct split_wish {
  index_t most_points;  // of a part, but for one row more in the last part of a staggered line
  index_t most_window;  // of a sum
  int most_axes;        // of lines that are done together
  // These are the most numbers that a part is given where parts at a line's ends are made like all
  // others, which takes a launch for each less, but more sums at every border.
  index_t most_given = sum_group::most;
};

/// Splits lines into parts. Returns nothing where a line is too short for two parts, sums would be
/// too long, or a part alone is singular or nearly so. What is left out of a sum is below rounding.
/// Weights of lines of more than 2^12 points are found on a shorter line, whose ends are the same.
/// `lines`: lines[rhs], lines[x] and right_sides are set.
std::optional<line_split> split(const specification& whole, value_type,
                                const layout::geometry& lines, const split_wish&);

/// Returns the lines of a run, of all its parts where they are done together; each has a status,
/// side by side in their order.
layout::geometry lines_of(const layout::geometry& whole, const line_split&, const part_run&);

}  // namespace tridia::line_operator
