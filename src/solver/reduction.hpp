// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/near_toeplitz_reduction.hpp"
#include "line_operator/constant.hpp"

#include <vector>

namespace tridia::solver {

/// Holds the cyclic reduction of a constant matrix, all of it but the right-hand sides.
struct reduction {
  std::vector<core::reduction_level> levels;  // from all rows to one
  std::vector<line_operator::wide>
      factors;  // words of core::reduction_factors, one row after another
};

/// Reduces a regular matrix. Throws `error` (unsupported) where the order of
/// elimination of cyclic reduction meets a pivot that is zero.
reduction reduce(const line_operator::constant_matrix&);

/// Returns whether, for a matrix of real numbers, the order of elimination of cyclic reduction
/// meets no pivot that is zero, and all its stages together amplify rounding errors by no more than
/// core::bounded_growth.
bool reduces_stably(const line_operator::constant_matrix&);

}  // namespace tridia::solver
