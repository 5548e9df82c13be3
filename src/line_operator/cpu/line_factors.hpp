// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/specification.hpp"

#include <vector>

namespace tridia::line_operator::cpu {

/// Holds the elimination of one row of a matrix, with partial pivoting, in long double. With r the
/// right-hand side, c the eliminated one, x the solution:
///   c[i] = r[i] - below c[i-1], after r[i] and c[i-1] have changed places if `swapped`,
///   x[i] = pivot c[i] - next x[i+1] - fill x[i+2].
/// A periodic matrix is one of the first n - 1 rows and columns, bordered by the last ones:
///   x[n-1] = corner (r[n-1] - sum of border r[i]), then x[i] as above, less column x[n-1],
/// where the recurrence goes on from what it was before `column` was taken off.
struct line_factor_row {
  long double below = 0, pivot = 1, next = 0, fill = 0;
  long double border = 0, column = 0;
  bool swapped = false;
};

struct line_factors {
  std::vector<line_factor_row> rows;  // of a periodic matrix n - 1
  long double corner = 0;
};

/// Factors the matrix of a line operator, whose numbers are real, by `eliminate`. Throws `error`
/// (singular) if it is singular to working precision, or the first n - 1 rows of a periodic one
/// are.
line_factors factor_line(const specification&);

}  // namespace tridia::line_operator::cpu
