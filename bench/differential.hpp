// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "derive.hpp"

#include "tridia/differential.hpp"

#include <string>
#include <vector>

// `tridia bench derive` measures these cases beside those of single operators: gradients,
// divergences and Laplacians of cubes, f64, on a CPU in one call and as separate operators.
namespace tridia_bench {

/// Describes a differential operator on a cube, C6 with its default closure along all axes, h = 1.
/// All fields are the same one (derive.hpp, product_field).
struct differential_case {
  tridia::differential kind;
  index_t points;  // along an edge

  [[nodiscard]] std::vector<tridia::differential_term> terms() const;
  [[nodiscard]] std::size_t results() const {
    return kind == tridia::differential::gradient ? 3 : 1;
  }
  [[nodiscard]] std::size_t fields() const {
    return kind == tridia::differential::divergence ? 3 : 1;
  }
  [[nodiscard]] std::size_t values() const {
    return static_cast<std::size_t>(points * points * points);
  }
};

/// Returns the cases of a cube.
std::vector<differential_case> differential_cases(index_t points);

/// Makes a row with everything except what is measured. The floor is that of three derivatives for
/// a gradient, and otherwise of one: that many copies of a field.
row row_of(const differential_case& c, std::string solver);

/// Knows the results, by the reference's for a line.
class known_differential {
 public:
  explicit known_differential(const differential_case& c);
  /// Fills the field.
  void fill(double* field) const;
  /// Returns the largest error of a result in memory of the host, over the largest derivative.
  [[nodiscard]] double error(const double* out, std::size_t result) const;

 private:
  differential_case case_;
  std::vector<double> line_, derivative_;
};

/// Holds an operator for each term, of which users without a differential operator call one after
/// another.
class separate_operators {
 public:
  separate_operators(const differential_case& c, const tridia::options& o);
  [[nodiscard]] std::size_t workspace_bytes() const;
  void apply(const std::vector<const void*>& in, const std::vector<void*>& out,
             const tridia::execution& e) const;

 private:
  std::vector<tridia::compact_operator> ops_;
};

}  // namespace tridia_bench
