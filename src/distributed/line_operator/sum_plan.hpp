// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/split_line.hpp"
#include "line_operator/sum_groups.hpp"

#include <functional>
#include <vector>

namespace tridia::distributed {

// Lines are cut into parts as on one device (line_operator/split_line.hpp).
using line_operator::inverse_rows;
using line_operator::least_weight;
using line_operator::leave_out;
using line_operator::line_cuts;
using line_operator::line_weights;
using line_operator::part_sides;
using line_operator::specification;
using line_operator::wide;

/// A plan for sums over whole lines, of which each part wants some. It holds the shares of each
/// part in the sums that other parts want.
struct sum_plan {
  /// A share is what this part adds to a sum from its own points.
  using share = line_operator::sum_share;
  struct sent {
    int part;
    std::vector<share> shares;
  };
  struct received {
    int part;
    std::vector<int> sums;
  };
  int wanted = 0;          // here
  std::vector<share> own;  // of those
  // These are the shares sent to other parts and received from them, in order.
  std::vector<sent> to;
  std::vector<received> from;
};

/// Plans the sums; `wanted(part)` returns those that a part wants. A share whose weights are all
/// zero is left out.
sum_plan plan_sums(const std::vector<index_t>& points, int here,
                   const std::function<std::vector<line_weights>(int part)>& wanted);

}  // namespace tridia::distributed
