// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <complex>
#include <vector>

#include "support/random.hpp"

namespace tridia_test {

/// Holds the solution of A X = B by LAPACK in double precision (zgesv), and the reciprocal
/// condition of A (1-norm).
struct dense_solution {
  std::vector<std::complex<double>> x;
  double reciprocal_condition = 0;
};
/// Solves; `a` is n x n and `b` n x columns, both by columns.
dense_solution solve_dense(index_t n, std::vector<std::complex<double>> a, index_t columns,
                           std::vector<std::complex<double>> b);

/// Holds a regular tridiagonal system in wide numbers: `dl[0]` and `du[n-1]` are 0.
struct tridiagonal {
  explicit tridiagonal(index_t n) : dl(static_cast<std::size_t>(n)), d(dl.size()), du(dl.size()) {}
  [[nodiscard]] index_t rows() const { return static_cast<index_t>(d.size()); }
  std::vector<wide> dl, d, du;
};

/// Calls xGTSV in precision `type`; `b` becomes the solution. Returns LAPACK's info.
index_t gtsv(tridia::value_type type, const tridiagonal& a, std::vector<wide>& b);

/// Calls xLATMS (double or complex double) and returns a tridiagonal matrix with singular values by
/// `mode` (1 one large, 2 one small, 3 geometric, 4 arithmetic) from `norm` down to `norm /
/// condition`, reduced to `bands` off-diagonals on each side by orthogonal transformations from
/// both sides.
tridiagonal latms(bool complex, index_t n, int mode, double condition, double norm, int bands,
                  rng& random);

/// Returns a symmetric tridiagonal matrix with these eigenvalues: the diagonal matrix of them,
/// times a random orthogonal matrix from both sides (xLAGSY), reduced by orthogonal transformations
/// (xSYTRD). Large entries come first where the eigenvalues differ much in size.
tridiagonal symmetric(const std::vector<double>& eigenvalues, rng& random);

}  // namespace tridia_test
