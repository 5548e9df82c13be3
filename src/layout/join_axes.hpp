// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tridia::layout {

/// Returns the same points in the same order, with those axes joined that one stride steps through
/// in the first `compared` arrays. Throws `error` (unsupported) where too many axes are left.
template <int Arrays>
axes_of<Arrays> join_axes(const std::vector<axis_of<Arrays>>& list, int compared = Arrays) {
  std::vector<axis_of<Arrays>> out;
  const auto continues = [&](const axis_of<Arrays>& inner) {
    if (out.empty()) return false;
    for (int k = 0; k < compared; ++k) {
      if (out.back().stride[k] != inner.stride[k] * inner.extent) return false;
    }
    return true;
  };
  for (const axis_of<Arrays>& a : list) {
    const index_t extent = continues(a) ? out.back().extent * a.extent : 0;
    if (extent > 0) out.pop_back();
    out.push_back(a);
    if (extent > 0) out.back().extent = extent;
  }
  if (out.size() > max_axes) {
    throw error(errc::unsupported,
                "extents: " + std::to_string(out.size()) +
                    " batch axes remain after neighbours are merged, but at most " +
                    std::to_string(max_axes) + " are supported");
  }
  axes_of<Arrays> result{static_cast<int>(out.size()), 1, {}};
  for (std::size_t k = 0; k < out.size(); ++k) {
    result.at[k] = out[k];
    result.size *= out[k].extent;
  }
  return result;
}

/// Sorts axes by `reach`, the fastest one, whose reach is the least, last; then joins neighbours.
template <int Arrays, class Reach>
axes_of<Arrays> sort_axes(std::vector<axis_of<Arrays>> list, Reach reach) {
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return reach(a) > reach(b); });
  return join_axes(list);
}

}  // namespace tridia::layout
