// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/lapack.hpp"
#include "support/random.hpp"

#include <vector>

// What compares the forward error of a solver with partial pivoting with that of LAPACK's xGTSV, on
// the 20 matrices of Klein and Strzodka and on graded ones (support/matrices.hpp).
namespace tridia_test {

/// This many systems are drawn, each with a different solution (and matrix, if it is random).
inline constexpr index_t kDraws = 33;

/// A single error is noise, ours as well as LAPACK's, and random matrices differ in condition by
/// orders of magnitude. So each error is divided by LAPACK's on the same system, and the median of
/// these ratios is bounded. Errors below a few epsilons count as equal.
inline constexpr long double kLargestRatio = 4, kEqualEpsilons = 4;

/// Holds a matrix and a known solution, in the numbers of a type, and LAPACK's error.
struct system_with_solution {
  tridiagonal a{0};
  std::vector<wide> x, b;
  long double error_of_lapack = 0;
};

/// Draws systems with matrix `number` of accuracy_matrix.
std::vector<system_with_solution> draw_systems(int number, index_t rows, tridia::value_type type,
                                               rng& random);
long double median_error_of_lapack(const std::vector<system_with_solution>& draws);

/// Holds medians of relative forward errors, of their ratios to LAPACK's, and of componentwise
/// backward errors.
struct accuracy {
  long double error = 0, ratio = 0, backward_error = 0;
};

/// Collects the errors of solutions of draws.
class accuracy_of {
 public:
  explicit accuracy_of(tridia::value_type type) : type_(type) {}
  void add(const system_with_solution& draw, const std::vector<wide>& x);
  [[nodiscard]] accuracy medians() const;

 private:
  tridia::value_type type_;
  std::vector<long double> errors_, ratios_, backward_errors_;
};

/// Returns whether solutions of draws are as good as LAPACK's.
bool is_near_lapack(const accuracy& a, const std::vector<system_with_solution>& draws,
                    tridia::value_type type);

/// Expects statuses of 0. A matrix that leaves LAPACK no digit is singular but for rounding errors:
/// another order of elimination may meet a pivot of exactly zero (dorr in one of a hundred places,
/// and gtsv once its entries are rounded differently).
void expect_solved(const std::vector<index_t>& statuses,
                   const std::vector<system_with_solution>& draws);

}  // namespace tridia_test
