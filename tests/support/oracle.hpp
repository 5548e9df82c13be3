// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/experiment.hpp"

namespace tridia_test {

/// Holds one term of a matrix; terms in the same place add up.
struct term {
  index_t row, column;
  wide value;
};

/// Returns op(A) of one system, as the library was given it.
std::vector<term> matrix_of(const experiment& e, index_t system);

/// Returns ||A x - b|| / (||A|| ||x|| + ||b||) in the maximum norm, for one right-hand side.
long double backward_error(const std::vector<term>& a, const std::vector<wide>& x,
                           const std::vector<wide>& b);

/// These return the solution and the right-hand side of one system, row by row.
std::vector<wide> solution_of(const experiment& e, index_t system, index_t column);
std::vector<wide> rhs_of(const experiment& e, index_t system, index_t column);

/// Returns 1 / (||A|| ||A^-1||) by LAPACK, with ||A|| of the terms before those in one place are
/// added up.
double reciprocal_condition(const std::vector<term>& a, index_t n);

/// A stable solver may leave at most this backward error, in units of the type's epsilon. Pairwise
/// pivoting, whose rows grow more than those of LAPACK's, has left 22 in the worst of the random
/// systems of many runs.
inline constexpr double kBackwardBound = 30;

/// Returns whether a system has failed: by its status or, if none was asked for, because its x
/// begins with NaN.
bool has_failed(const experiment& e, index_t system);

/// Returns what is wrong with x of a system that has failed, or "": it must be NaN throughout, all
/// right-hand sides and both parts of complex numbers.
std::string check_all_nan(const experiment& e, index_t system);

/// Returns what is wrong with the solution of an experiment that has run, or "". Every system must
/// have a small backward error; a few short ones must also agree with LAPACK's solution of a dense
/// copy (`dense_rows` is the longest of these). A system may fail only if it has to
/// (failing_systems.hpp) or is singular, to working precision; its x is NaN throughout then, unless
/// a right-hand side of a constant matrix is not finite.
std::string check_solution(const experiment& e, index_t dense_rows);

}  // namespace tridia_test
