// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/near_toeplitz.hpp"
#include "tridia/types.hpp"

#include <vector>

namespace tridia::compact {

/// Weights of neighbouring points: weights[k] is that of point i + first + k for row i.
struct stencil {
  int first = 0;
  std::vector<double> weights{};
};

/// What a compact scheme does along every line: out = scale A^-1 B in. A has a row for each point
/// of `out`; B gives it the points of `in`.
struct line_operator {
  index_t points = 0, rows = 0;                           // of a line of `in` and of `out`
  tridia::boundary boundary = tridia::boundary::regular;  // periodic: A and B both wrap
  near_toeplitz matrix{};                                 // A
  stencil interior{};                                     // B, but for
  std::vector<stencil> head{}, tail{};                    // the first and the last rows
  std::vector<double> scale{};  // of each row, applied last (a metric); empty: 1
};

}  // namespace tridia::compact
