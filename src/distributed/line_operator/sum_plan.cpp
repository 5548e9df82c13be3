// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/line_operator/sum_plan.hpp"

#include <algorithm>
#include <utility>

namespace tridia::distributed {
namespace {

/// Returns the weights of one part's points without the zeros at their ends.
sum_plan::share share_of(const line_weights& all, index_t begin, index_t end, int sum) {
  const auto matters = [](const wide& v) { return core::magnitude(v).v != 0; };
  const auto part = all.begin() + begin, end_of_part = all.begin() + end;
  const auto first = std::find_if(part, end_of_part, matters);
  auto last = end_of_part;
  while (last != first && !matters(last[-1])) --last;
  return {sum, first - part, {first, last}};
}

}  // namespace

sum_plan plan_sums(const std::vector<index_t>& points, int here,
                   const std::function<std::vector<line_weights>(int part)>& wanted) {
  sum_plan plan;
  const int parts = static_cast<int>(points.size()) - 1;
  for (int part = 0; part < parts; ++part) {
    const std::vector<line_weights> sums = wanted(part);
    const auto shares_of = [&](int by) {
      std::vector<sum_plan::share> shares;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        auto s = share_of(sums[k], points[by], points[by + 1], static_cast<int>(k));
        if (!s.weights.empty()) shares.push_back(std::move(s));
      }
      return shares;
    };
    if (part != here) {
      auto shares = shares_of(here);
      if (!shares.empty()) plan.to.push_back({part, std::move(shares)});
      continue;
    }
    plan.wanted = static_cast<int>(sums.size());
    plan.own = shares_of(here);
    for (int by = 0; by < parts; ++by) {
      if (by == here) continue;
      sum_plan::received from{by, {}};
      for (const sum_plan::share& s : shares_of(by)) from.sums.push_back(s.sum);
      if (!from.sums.empty()) plan.from.push_back(std::move(from));
    }
  }
  return plan;
}

}  // namespace tridia::distributed
