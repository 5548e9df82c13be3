// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// What the tests of tridia/device hand to kernels, which nvcc compiles as it compiles those of a
// user: these include neither the library's sources nor GoogleTest.
namespace tridia_test {

/// Describes `lines` systems of n rows, and what came of them. Arrays are in host memory: dl, d and
/// du have `lines` x n elements, rhs and x `sides` as many, side after side.
struct device_lines {
  int n, lines, sides;
  const void *dl, *d, *du, *rhs;
  void* x;
  std::vector<int> status;        // one a line, if all its threads have said the same; else -99
  std::vector<int> asked, taken;  // how often row_of and take were called for each row
};

/// A solver of one shape.
struct device_solver {
  static constexpr int any_rows = -1;  // in the place of max_rows
  std::string name;
  tridia::value_type type;
  tridia::boundary boundary;
  tridia::pivoting pivoting;
  int max_rows, sides;
  /// Solves lines on the current GPU. Returns what went wrong, or nothing.
  std::function<std::string(device_lines&)> solve;
};

/// Returns the solvers whose values are of a type. Instantiated for each in device_kernels.cu.
template <tridia::value_type>
std::vector<device_solver> device_solvers();
/// Returns those that take lines of any length along an axis of a grid.
template <tridia::value_type>
std::vector<device_solver> grid_solvers();

}  // namespace tridia_test
