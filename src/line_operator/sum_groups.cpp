// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/sum_groups.hpp"

#include <algorithm>
#include <numeric>

namespace tridia::line_operator {

sum_groups group_shares(const std::vector<sum_share>& shares, bool any) {
  const auto count = [&](std::size_t k) { return static_cast<index_t>(shares[k].weights.size()); };
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count(a) > count(b); });
  sum_groups all;
  for (const std::size_t k : order) {
    const sum_share& s = shares[k];
    // Longer shares came before: a group has room for a share that lies within its points, if the
    // share takes up most of them.
    const auto has_room = [&](const sum_group& g) {
      return g.sums < sum_group::most && g.first <= s.first &&
             s.first + count(k) <= g.first + g.count && (any || 2 * count(k) > g.count);
    };
    auto g = std::find_if(all.groups.begin(), all.groups.end(), has_room);
    if (g == all.groups.end()) {
      const auto begin = static_cast<index_t>(all.weights.size());
      g = all.groups.insert(g, {s.first, count(k), begin, 0, {}});
      all.weights.resize(all.weights.size() + static_cast<std::size_t>(sum_group::most * count(k)),
                         wide(0));
    }
    for (index_t i = 0; i < count(k); ++i) {
      const index_t at = g->weights + sum_group::most * (s.first - g->first + i) + g->sums;
      all.weights[static_cast<std::size_t>(at)] = s.weights[static_cast<std::size_t>(i)];
    }
    g->slot[g->sums++] = static_cast<index_t>(k);
  }
  return all;
}

}  // namespace tridia::line_operator
