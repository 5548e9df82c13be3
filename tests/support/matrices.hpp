// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/lapack.hpp"
#include "support/random.hpp"

namespace tridia_test {

/// Returns matrix 1 to 20 of Klein and Strzodka, "Tridiagonal GPU Solver with Scaled Partial
/// Pivoting at Maximum Bandwidth" (ICPP 2021), table 1. `condition` is that of the matrices called
/// randsvd.
inline constexpr int kMatrices = 20;
tridiagonal klein_strzodka(int number, index_t n, double condition, rng& random);

/// Returns one of those for numbers 1 to 20, and after them graded matrices, whose entries differ
/// by orders of magnitude from row to row or from column to column:
///   21 symmetric, eigenvalues geometric from 1 to 1 / condition, of random signs;
///   22 matrix 1, each row times its own 10^U(-8, 8);
///   23 matrix 1, each column times its own 10^U(-6, 6).
inline constexpr int kAccuracyMatrices = kMatrices + 3;
tridiagonal accuracy_matrix(int number, index_t n, double condition, rng& random);
const char* matrix_name(int number);

/// Returns type 1 to 12 of LAPACK's driver test of xGTSV (TESTING/LIN/ddrvgt.f and dlatb4.f), for
/// elements of `type`; 8 to 10 are singular.
inline constexpr int kLapackTypes = 12;
tridiagonal lapack_type(int number, tridia::value_type type, index_t n, rng& random);

/// Returns op(A).
tridiagonal transformed(const tridiagonal& a, tridia::operation op);

/// Returns A x in wide arithmetic.
std::vector<wide> product(const tridiagonal& a, const std::vector<wide>& x);

/// Returns 1 / (||A|| ||A^-1||) by LAPACK.
double reciprocal_condition(const tridiagonal& a);

/// Returns ||x - expected|| / ||expected|| in the Euclidean norm.
long double relative_error(const std::vector<wide>& x, const std::vector<wide>& expected);

}  // namespace tridia_test
