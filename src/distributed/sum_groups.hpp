// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/sum_plan.hpp"

#include <vector>

namespace tridia::distributed {

/// Sums that are found together, as their points are the same, or some of the same: each point is
/// read once.
struct sum_group {
  static constexpr int most = 4;
  index_t first, count;  // points
  index_t weights;       // where they begin: `most` for each point
  int sums;
  index_t slot[most];  // where the sums go
};

struct sum_groups {
  std::vector<sum_group> groups;
  std::vector<wide> weights;
};

/// Share k goes to slot k.
sum_groups group_shares(const std::vector<sum_plan::share>&);

}  // namespace tridia::distributed
