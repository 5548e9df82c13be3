// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "product_field.hpp"
#include "suite.hpp"

#include "tridia/compact.hpp"
#include "tridia/plan.hpp"

#include <string>
#include <vector>

// `tridia bench derive` measures these cases, on a CPU and on a GPU: compact operators on cubes and
// solves with constant coefficients, f64.
namespace tridia_bench {

/// Describes an operator with its scheme's default closure, or periodic, along an axis of a cube; h
/// = 1.
struct derive_case {
  tridia::quantity what;
  std::string scheme;
  tridia::boundary boundary;
  index_t points;  // along an edge
  int axis;

  [[nodiscard]] tridia::scheme make_scheme() const;
  [[nodiscard]] tridia::grid grid() const;
  [[nodiscard]] index_t lines() const { return points * points; }
  /// Returns the elements from a point of a line to the next; as many lines lie side by side.
  [[nodiscard]] index_t step() const { return axis == 2 ? 1 : axis == 1 ? points : lines(); }
};

/// Returns all cases of the targets: C6 at 256, 512 and 1024 points, C8, second derivative and
/// filter at 512.
std::vector<derive_case> derive_cases();

/// Describes a solve with the matrix of a C6 first derivative, 3-4-6-4-3, along an axis of an array
/// of three.
struct constant_case {
  tridia_bench::layout layout;
  index_t n, batch;

  [[nodiscard]] std::vector<index_t> extents() const;
  [[nodiscard]] int axis() const;
  [[nodiscard]] tridia::problem problem() const;
};

/// Makes a row with everything except what is measured.
row row_of(const derive_case& c, std::string solver);
row row_of(const constant_case& c, std::string solver);

/// Returns g of product_field: random, from 1/2 to 1, of either sign; the same on every machine.
std::vector<double> random_line(index_t points);
/// Returns the reference's result for the line.
std::vector<double> reference_line(const derive_case& c, const std::vector<double>& g);
std::vector<double> reference_line(const constant_case& c, const std::vector<double>& g);
double largest(const std::vector<double>& line);

/// Holds the rows of a closed scheme as a user's own loops would have them, h = 1.
struct stencil_rows {
  static constexpr int most_ends = 4, most_weights = 12;
  struct row {
    double sub, diag, sup;
    int first, count;  // first: from the row's own point
    double weights[most_weights];
  };
  index_t rows;
  int ends;  // rows of the closure at either end
  row interior, head[most_ends], tail[most_ends];

  explicit stencil_rows(const derive_case& c);
  [[nodiscard]] TRIDIA_BENCH_FN const row& at(index_t i) const {
    return i < ends ? head[i] : i >= rows - ends ? tail[i - (rows - ends)] : interior;
  }
  /// Returns the right-hand side of row i of a line that begins at f, whose points are `step`
  /// elements apart.
  [[nodiscard]] TRIDIA_BENCH_FN double right_side(const double* f, index_t i, index_t step) const {
    const row& r = at(i);
    const double* const first = f + (i + r.first) * step;
    double sum = 0;
    for (int w = 0; w < r.count; ++w) sum += r.weights[w] * first[w * step];
    return sum;
  }
  [[nodiscard]] tridia::near_toeplitz matrix() const;
};

}  // namespace tridia_bench
