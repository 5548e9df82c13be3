// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/split_line.hpp"

#include <functional>
#include <vector>

namespace tridia::distributed {

/// Sums over whole lines, of which each part wants some: what each part adds to those of which.
struct sum_plan {
  /// A sum's share that this part finds: weights of its own points from `first` on.
  struct share {
    int sum;  // of those that the other part wants
    index_t first;
    std::vector<wide> weights;
  };
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
  // By other parts, and from them, in order.
  std::vector<sent> to;
  std::vector<received> from;
};

/// `wanted(part)` are the sums that a part wants. A share whose weights are all zero is left out.
sum_plan plan_sums(const std::vector<index_t>& points, int here,
                   const std::function<std::vector<line_weights>(int part)>& wanted);

}  // namespace tridia::distributed
