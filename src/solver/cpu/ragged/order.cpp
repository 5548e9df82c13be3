// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/ragged/order.hpp"

#include <algorithm>

namespace tridia::cpu {

ragged_order order_ragged(const std::vector<index_t>& offsets, int lanes, bool equal_lengths) {
  const auto length = [&](index_t s) { return offsets[s + 1] - offsets[s]; };
  ragged_order order;
  const auto systems = static_cast<index_t>(offsets.size()) - 1;
  for (index_t s = 0; s < systems; ++s) {
    if (length(s) > 0) order.system.push_back(s);
  }
  std::stable_sort(order.system.begin(), order.system.end(),
                   [&](index_t a, index_t b) { return length(a) > length(b); });

  const auto count = static_cast<index_t>(order.system.size());
  for (index_t first = 0; first < count;) {
    const index_t longest = length(order.system[first]);
    index_t rows = 0;
    int taken = 0;
    while (taken < lanes && first + taken < count) {
      const index_t next = length(order.system[first + taken]);
      if (equal_lengths ? next != longest : 2 * (rows + next) < longest * (taken + 1)) break;
      rows += next;
      ++taken;
    }
    const bool wide = taken >= fewest(lanes);
    if (!wide) taken = 1;
    order.groups.push_back({first, taken, !wide});
    order.rows.push_back(longest);
    first += taken;
  }
  return order;
}

}  // namespace tridia::cpu
