// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/scheme.hpp"

#include <string>
#include <vector>

namespace tridia_test {

/// Returns every scheme that comes with the library.
std::vector<tridia::scheme> all_schemes();

/// Returns the names of all closures that `find_closure` knows for a scheme.
std::vector<std::string> all_closures(const tridia::scheme& s);

/// Holds a dense matrix by columns.
struct dense_matrix {
  explicit dense_matrix(tridia::index_t n) : size(n), entries(static_cast<std::size_t>(n * n)) {}
  double& at(tridia::index_t i, tridia::index_t j) {
    return entries[static_cast<std::size_t>(i + j * size)];
  }
  tridia::index_t size;
  std::vector<double> entries;
};

/// Returns the matrix of a first derivative at `points` points, with spacing 1 / (points - 1).
dense_matrix derivative_matrix(const tridia::scheme& s, const tridia::closure& c,
                               tridia::index_t points);

/// Returns the largest real part of a matrix's eigenvalues (LAPACK's dgeev).
double largest_real_part(dense_matrix a);

}  // namespace tridia_test
