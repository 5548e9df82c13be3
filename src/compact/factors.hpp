// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/specification.hpp"

#include <optional>
#include <vector>

namespace tridia::compact {

/// Holds the elimination of one row of a constant matrix, with partial pivoting, in long double.
/// With r the right-hand side, c the eliminated one, x the solution:
///   c[i] = r[i] - below c[i-1], after r[i] and c[i-1] have changed places if `swapped`,
///   x[i] = pivot c[i] - next x[i+1] - fill x[i+2].
/// A periodic matrix is one of the first n - 1 rows and columns, bordered by the last ones:
///   x[n-1] = corner (r[n-1] - sum of border r[i]), then x[i] as above, less column x[n-1],
/// where the recurrence goes on from what it was before `column` was taken off.
struct factor_row {
  long double below = 0, pivot = 1, next = 0, fill = 0;
  long double border = 0, column = 0;
  bool swapped = false;
};

struct factors {
  std::vector<factor_row> rows;  // of a periodic matrix n - 1
  long double corner = 0;
  /// What the rows were made of; nothing if the matrix is periodic.
  std::optional<line_operator::constant_factors> eliminated{};
};

/// Factors a matrix, by line_operator::eliminate. Throws `error` (invalid_argument) if it is
/// singular.
factors factor(const near_toeplitz& a, index_t rows, boundary ends);

}  // namespace tridia::compact
