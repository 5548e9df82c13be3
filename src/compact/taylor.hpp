// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/scheme.hpp"

// These functions find where the entries of a row lie, and its order by Taylor expansion.
namespace tridia::compact {

/// Returns the order of the derivative that a quantity is; 0 for none.
constexpr int derivative_of(quantity q) {
  switch (q) {
    case quantity::first_derivative:
      return 1;
    case quantity::second_derivative:
      return 2;
    case quantity::third_derivative:
      return 3;
    case quantity::fourth_derivative:
      return 4;
    case quantity::interpolation:
    case quantity::filter:
      break;
  }
  return 0;
}

/// Returns whether a quantity of a field that is read backwards has the other sign.
constexpr bool is_odd_derivative(quantity q) { return derivative_of(q) % 2 == 1; }

/// Returns how far value k of a line lies after result k, in cells.
constexpr double offset_of(staggering s) {
  return s == staggering::to_midpoints ? -0.5 : s == staggering::to_points ? 0.5 : 0.0;
}

/// Returns the points of a regular line minus its rows.
constexpr int extra_points(staggering s) {
  return s == staggering::to_midpoints ? 1 : s == staggering::to_points ? -1 : 0;
}

/// Returns the last point that a row reads, relative to it; the first one is `row.first`.
inline int last_of(const compact_row& row) {
  return row.first + static_cast<int>(row.weights.size()) - 1;
}

/// Returns the row at the other end of a line that does the same with the line read backwards.
compact_row mirrored(const compact_row& row, tridia::quantity quantity,
                     tridia::staggering staggering);

}  // namespace tridia::compact
