// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/sum_plan.hpp"

#include <vector>

// Lines of one matrix that are cut into parts, as Mattor, Williams and Hewett (1995) solve them and
// A. T. Srinath specialises the method for many lines (thesis, Clemson University, 2015, section
// 3.3). `whole` is an operator with the identity for B.
namespace tridia::distributed {

/// Returns the solutions of a part's secondary systems (equations 3.6 and 3.7): what the x of the
/// row before the part adds to the part's rows, and what the x of the row after it adds, where
/// there are such rows. Throws as `end_columns` does.
std::vector<line_weights> secondary_solutions(const specification& whole, const line_cuts&,
                                              int part);

/// Holds the matrix of the reduced systems (equation 3.8), which is the same for all lines. Its
/// right-hand sides are the faces: of each part the first and the last x of the primary system,
/// where there is a row before the part, and after it. Its unknowns are the x of just these rows:
/// so the matrix is tridiagonal as it stands, and each part sends as many numbers as it receives,
/// to and from the same places.
struct reduced_system {
  tridia::boundary boundary;
  std::vector<wide> sub, diag, sup;
  std::vector<index_t> first;  // row of each part; the number of rows follows
};
reduced_system reduce_parts(const specification& whole, const line_cuts&);

}  // namespace tridia::distributed
