// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../systems.hpp"

#include "tridia/scheme.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tridia_bench {

/// Says how many shapes a feature is measured at; cells.cpp has the lists.
enum class coverage { full, coarse, few };

/// Says what is timed.
enum class work {
  apply,    ///< `compact_operator::apply`
  execute,  ///< `plan::execute`
  solve,    ///< `plan::solve` with factors that were saved before.
};

/// Describes a feature of the library.
struct feature {
  std::string_view name;
  tridia_bench::work work = work::execute;
  tridia::quantity quantity = tridia::quantity::first_derivative;  ///< What an operator computes.
  tridia_bench::matrix matrix = matrix::dominant;
  tridia::pivoting pivoting = tridia::pivoting::none;
  tridia::coefficients coefficients = tridia::coefficients::per_system;
  index_t right_hand_sides = 1;
  /// These are the coverages of regular systems that are not transposed, in f64 and in other types.
  coverage in_f64 = coverage::coarse, in_others = coverage::coarse;

  /// Returns the number of arrays that the work must read for each that it writes, as the copies
  /// of the floor do: 4 with coefficients or factors of each system, or else 1.
  [[nodiscard]] int reads() const {
    return work != work::apply && coefficients == tridia::coefficients::per_system ? 4 : 1;
  }
  /// Returns the fewest words that must cross memory for each row of the systems: each right-hand
  /// side and its solution, and three of a matrix or of its factors if each system has its own.
  [[nodiscard]] index_t words() const { return 2 * right_hand_sides + (reads() == 4 ? 3 : 0); }
};

std::span<const feature> features() noexcept;

/// Returns the name of a feature with what varies: ", periodic" or ", transposed".
std::string name(const feature& f, tridia::boundary boundary, tridia::operation operation);

}  // namespace tridia_bench
