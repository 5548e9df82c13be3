// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_split.hpp"

#include <vector>

namespace tridia::cpu {

/// Holds a ragged batch in an order in which neighbours have similar lengths.
struct ragged_order {
  std::vector<index_t> system;       // the k-th longest system
  std::vector<system_range> groups;  // over positions in `system`
  std::vector<index_t> rows;         // of each group: those of its longest system
};

/// Sorts systems by length (empty ones are left out) and groups them: a group of `lanes` where at
/// least half of the rows that it runs through are real, single systems elsewhere. Periodic systems
/// share a group only if they have one length, as both ends of each must line up.
ragged_order order_ragged(const std::vector<index_t>& offsets, int lanes, bool equal_lengths);

}  // namespace tridia::cpu
