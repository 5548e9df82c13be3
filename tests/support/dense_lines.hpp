// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "line_operator/specification.hpp"

namespace tridia_test {

/// Returns lines that an operator works on, dense in two layouts: one after another, or, if
/// `interleaved`, as neighbours.
inline tridia::layout::geometry dense_lines(const tridia::line_operator::specification& line,
                                            tridia::index_t lines, bool interleaved) {
  using namespace tridia::layout;
  geometry g{};
  g.rows = line.rows;
  g.lines[rhs] = g.lines[x] = {0, interleaved ? lines : 1};
  g.right_sides = {1, lines, {}};
  g.right_sides.at[0].extent = lines;
  g.right_sides.at[0].stride[rhs] = interleaved ? 1 : line.points;
  g.right_sides.at[0].stride[x] = interleaved ? 1 : line.rows;
  return g;
}

}  // namespace tridia_test
