// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/sum_groups.hpp"

namespace tridia::line_operator::cpu {

/// Describes the sums of a group (sum_groups.hpp) over a line, or over lines that lie side by side.
template <class R>
struct border_sums {
  const R* in;           // point 0 of the first line
  index_t step, points;  // along the lines
  int lines;
  index_t first, count;  // points of the sums; those from `points` on are the lines' first ones
  const R* weights;      // `sum_group::most` for each point
  int sums;
  R* to[sum_group::most];  // numbers of the first line; those of the next lines follow
};

}  // namespace tridia::line_operator::cpu
