// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/lines.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace tridia::distributed {
namespace {

/// The order is a number in this base: each axis is a digit, and the slowest comes first.
constexpr index_t base = 16;
constexpr int most_axes = 15;

}  // namespace

index_t wished_order(const layout::resolved& r) {
  const auto& strides = r.out.strides;
  std::vector<int> axes(strides.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (axes.size() > most_axes) return 0;
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return std::abs(strides[a]) > std::abs(strides[b]); });
  index_t order = 0;
  for (const int a : axes) order = order * base + a;
  return order;
}

layout::geometry number_lines(layout::geometry g, const layout::resolved& r, operation of_matrix,
                              index_t order) {
  using layout::axis;
  const int axes = static_cast<int>(r.out.extents.size());
  const bool transposed = of_matrix != operation::none;
  const layout::resolved_array& sub = r.in[transposed ? layout::du : layout::dl];
  const layout::resolved_array& sup = r.in[transposed ? layout::dl : layout::du];
  std::vector<index_t> status(axes, 0);
  index_t systems = 1;
  for (int k = axes; k-- > 1;) {
    if (k == r.axis) continue;
    status[k] = systems;
    systems *= r.out.extents[k];
  }
  layout::axes lines{0, 1, {}};
  for (int place = axes; place-- > 0;) {
    // More axes than digits are in C order.
    index_t k = axes - 1 - place;
    if (axes <= most_axes) {
      k = order;
      for (int i = 0; i < place; ++i) k /= base;
      k %= base;
    }
    const index_t extent = r.out.extents[k];
    if (k == r.axis) continue;
    lines.size *= extent;
    if (extent == 1) continue;
    if (lines.count == layout::max_axes) {
      throw error(errc::unsupported, "extents: " + layout::shape_text(r.out.extents) +
                                         " (right-hand sides first) have more than " +
                                         std::to_string(layout::max_axes) +
                                         " axes across the lines");
    }
    lines.at[lines.count++] = {extent,
                               {sub.strides[k], r.in[layout::d].strides[k], sup.strides[k],
                                r.in[layout::rhs_in].strides[k], r.out.strides[k], status[k]}};
  }
  g.matrices = lines;
  g.right_sides = {0, 1, {}};
  return g;
}

}  // namespace tridia::distributed
