// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Right-hand sides as systems of their own: the same lines in every array, each once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "layout/geometry.hpp"
#include "layout/line_status.hpp"
#include "layout/resolve.hpp"
#include "tridia/problem.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using layout::geometry;

geometry geometry_of(const problem& p) { return layout::make_geometry(p, layout::resolve(p)); }

using line = std::array<index_t, layout::array_count>;

std::vector<line> lines_of(const geometry& g, bool statuses) {
  std::vector<line> all;
  for (index_t m = 0; m < g.matrices.size; ++m) {
    for (index_t r = 0; r < g.right_sides.size; ++r) {
      index_t at[layout::array_count];
      g.line_offsets(m, r, at);
      line& l = all.emplace_back();
      std::copy(std::begin(at), std::end(at), l.begin());
      if (!statuses) l[layout::status] = 0;
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<problem> problems() {
  std::vector<problem> all;
  for (const auto c : {coefficients::per_system, coefficients::shared}) {
    for (const index_t sides : {1, 3}) {
      for (const int axis : {0, 1, 2}) {
        problem p{.extents = {4, 5, 6}, .axis = axis};
        p.coefficients = c;
        p.right_hand_sides = sides;
        all.push_back(p);
        p.operation = operation::transpose;
        p.boundary = boundary::periodic;
        all.push_back(p);
      }
    }
  }
  return all;
}

TEST(BroadcastMatrices, HasTheSameLines) {
  for (const problem& p : problems()) {
    const geometry g = geometry_of(p), all = layout::broadcast_matrices(g);
    EXPECT_EQ(all.right_sides.size, 1);
    const bool own = !layout::shares_status(g);
    EXPECT_EQ(lines_of(all, own), lines_of(g, own));
    if (own) continue;
    // Statuses of lines lie in the order of matrices and their right-hand sides.
    std::vector<line> in_order(static_cast<std::size_t>(all.matrices.size));
    for (index_t i = 0; i < all.matrices.size; ++i) {
      index_t at[layout::array_count];
      all.line_offsets(i, 0, at);
      std::copy(std::begin(at), std::end(at),
                in_order[static_cast<std::size_t>(at[layout::status])].begin());
    }
    for (index_t m = 0; m < g.matrices.size; ++m) {
      for (index_t r = 0; r < g.right_sides.size; ++r) {
        index_t at[layout::array_count];
        g.line_offsets(m, r, at);
        const line& l = in_order[static_cast<std::size_t>(m * g.right_sides.size + r)];
        EXPECT_TRUE(std::equal(std::begin(at), std::begin(at) + layout::status, l.begin()));
      }
    }
  }
}

}  // namespace
}  // namespace tridia_test
