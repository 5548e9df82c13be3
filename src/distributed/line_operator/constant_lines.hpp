// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/sum_plan.hpp"
#include "tridia/problem.hpp"

#include <vector>

namespace tridia::distributed {

/// Describes lines of constant coefficients that are cut into parts: A^-1 B with B the identity,
/// and A^T or A^H in place of A where that is asked for.
struct constant_lines {
  line_cuts cuts;
  line_operator::specification whole, own;  // own: of part `here`
  part_sides sides;

  /// Takes the first row of each part and, at the end of `begins`, the number of rows of a line.
  /// The matrix has been checked.
  constant_lines(const problem&, const std::vector<index_t>& begins, int here);
};

}  // namespace tridia::distributed
