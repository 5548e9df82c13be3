// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/line_status.hpp"
#include "line_operator/sum_groups.hpp"

#include <limits>

namespace tridia::line_operator {

/// Enters the statuses of lines that were solved in parts. A part's status is 0 or, as -i, the
/// first of its rows that is not finite, to which `solution_offset` is added if it is one of the
/// solution: a right-hand side that is not finite also makes the solution of parts before it not
/// finite, but is itself what has to be reported.
struct status_merge {
  layout::axes lines;
  const index_t* of_parts;  // part after part, in `places`
  slot_order places;
  index_t parts, part_rows;  // rows of every part but the last
  index_t solution_offset;   // above all rows of a line
  bool shared;               // lines share a status, and zeros have been entered
  index_t* to;

  static constexpr index_t none = std::numeric_limits<index_t>::max();

  /// Returns the first row, as parts report it, that is not finite in the parts that `member` of a
  /// `team` looks at; or `none`.
  TRIDIA_FN index_t first_row(index_t line, index_t member = 0, index_t team = 1) const {
    index_t first = none;
    for (index_t p = member; p < parts; p += team) {
      const index_t said = of_parts[places.at(p, line)];
      const index_t row = said == 0 ? none : p * part_rows - said - 1;
      if (row < first) first = row;
    }
    return first;
  }
  /// Returns the status of a line whose first such row is `first`.
  TRIDIA_FN index_t status_at(index_t first) const {
    const index_t row = first < solution_offset ? first : first - solution_offset;
    return first == none ? 0 : -row - 1;
  }
  TRIDIA_FN index_t status_of(index_t line) const { return status_at(first_row(line)); }
  TRIDIA_FN void operator()(index_t line, index_t) const { enter(line, status_of(line)); }
  TRIDIA_FN void enter(index_t line, index_t status) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    layout::enter_line_status(to + at[layout::status], shared, status);
  }
};

}  // namespace tridia::line_operator
