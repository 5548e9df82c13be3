// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/status.hpp"

// The statuses of lines: a matrix with one of its right-hand sides each.
namespace tridia::solver {

/// Whether several lines have one status: then zeros are entered first, and each line adds what it
/// finds. Otherwise each enters its own, and no other launch is needed.
TRIDIA_FN bool shares_status(const layout::geometry& g) {
  for (int k = 0; k < g.right_sides.count; ++k) {
    const layout::axis& a = g.right_sides.at[k];
    if (a.extent > 1 && a.stride[layout::status] == 0) return true;
  }
  return false;
}

TRIDIA_FN void enter_line_status(index_t* at, bool shared, index_t status) {
  if (!shared) {
    *at = status;
  } else if (status != 0) {
    merge_status(at, 0, status);
  }
}

}  // namespace tridia::solver
