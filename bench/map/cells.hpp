// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "features.hpp"

#include <string>
#include <vector>

namespace tridia_bench {

/// Describes one cell of the map: a feature at a shape, in a type.
struct cell {
  const feature* what;
  systems_spec spec;  ///< An operator has its layout, type, boundary, operation and sizes.
  /// These name the column of the map, the same one whatever the number of right-hand sides: rows
  /// in all as a power of two or "odd extents"; "64 rows", "7 lines", "257^3".
  std::string size, shape;

  [[nodiscard]] std::string feature_name() const {
    return name(*what, spec.boundary, spec.operation);
  }
  /// Returns the size, the shape and the layout, as in "2^24, 1000 rows, contiguous".
  [[nodiscard]] std::string place() const {
    return size + ", " + shape + ", " + std::string(tridia_bench::name(spec.layout));
  }
  /// Returns the number of elements of all right-hand sides: the rows that a cell has in all.
  [[nodiscard]] index_t elements() const { return spec.rows() * spec.right_hand_sides; }
  /// Returns the fewest bytes that must cross memory: a matrix that all systems share does once.
  [[nodiscard]] std::size_t floor_bytes() const {
    const index_t shared = what->coefficients == tridia::coefficients::shared ? 3 * spec.n : 0;
    return static_cast<std::size_t>(spec.rows() * what->words() + shared) *
           tridia::size_of(spec.type);
  }
};

/// Says which cells are wanted.
struct cell_choice {
  /// Rows in all of the largest cells are 2^this; others have 2^20 and 2^14.
  int largest = 26;
  std::string only;    ///< A regular expression that a feature's name must match; empty: all do.
  std::string shapes;  ///< The same for `cell::place()`.
  bool quick = false;  ///< Cells of 2^10 and 2^12 rows in all, no others.
  std::uint64_t seed = 0;
};

/// Returns the cells of a type: feature after feature, each from small cells to large ones.
std::vector<cell> cells_of(tridia::value_type type, const cell_choice& choice);

}  // namespace tridia_bench
