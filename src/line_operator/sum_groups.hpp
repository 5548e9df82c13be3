// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "line_operator/constant.hpp"

#include <vector>

namespace tridia::line_operator {

/// Holds a sum, or a share of it: weights of points from `first` on.
struct sum_share {
  int sum;  // of those that are wanted
  index_t first;
  std::vector<wide> weights;
};

/// Describes sums that are computed together, as they have all or some of their points in common:
/// each point is read once.
struct sum_group {
  static constexpr int most = 4;
  index_t first, count;  // points
  index_t weights;       // where they begin: `most` for each point
  int sums;
  index_t slot[most];  // where the sums go
};

/// Says where the number of a line in a slot lies: in blocks of `block` lines, of one slot after
/// another; the blocks of the next lines lie `jump` further on.
struct slot_order {
  index_t block, jump;  // as many as there are lines, and 0: slot after slot
  TRIDIA_FN index_t at(index_t slot, index_t line) const {
    if (jump == 0) return slot * block + line;
    return slot * block + line / block * jump + line % block;
  }
};

struct sum_groups {
  std::vector<sum_group> groups;
  std::vector<wide> weights;
};

/// Groups shares; share k goes to slot k. A share joins a group within whose points it lies, if it
/// has most of these: reading a point for nothing costs more than its weight of zero. `any`:
/// however few it has, as the points are there.
sum_groups group_shares(const std::vector<sum_share>&, bool any = false);

}  // namespace tridia::line_operator
