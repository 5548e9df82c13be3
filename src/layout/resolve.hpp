// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "tridia/problem.hpp"

#include <string>
#include <vector>

namespace tridia::layout {

/// Describes one array of a problem with every default filled in. The axes are those of `extents`,
/// after one more axis for the right-hand sides.
struct resolved_array {
  const char* name;
  std::vector<index_t> extents, strides;

  /// These are the numbers of elements before and after element (0, …, 0), which counts as after.
  [[nodiscard]] index_t elements_before() const;
  [[nodiscard]] index_t elements_after() const;
  [[nodiscard]] bool empty() const;
};

enum input { dl, d, du, rhs_in, input_count };

/// Describes a problem that has been checked, with its defaults filled in.
struct resolved {
  int axis;         // counted with the axis of the right-hand sides: from 1
  index_t rows;     // of every system; the longest of a ragged batch
  index_t systems;  // right-hand sides not counted
  resolved_array in[input_count];
  resolved_array out;
  std::vector<index_t> off_diagonal;  // ragged: where each system's off-diagonals begin
  std::vector<index_t> row_starts;    // packed: where row k of all systems begins
};

/// Returns where row k of all lines begins if lines are sorted, longest first, and row k of those
/// that have it follows row k - 1. Line i has `length(i)` rows.
template <class Length>
std::vector<index_t> packed_row_starts(index_t lines, const Length& length) {
  std::vector<index_t> starts;
  const index_t rows = lines > 0 ? length(0) : 0;
  for (index_t k = 0, start = 0, with_row = lines; k < rows; ++k) {
    while (length(with_row - 1) <= k) --with_row;
    starts.push_back(start);
    start += with_row;
  }
  return starts;
}

/// Returns whether the matrix is known when a plan is made, as `problem::matrix`: there are no
/// arrays of coefficients then.
inline bool has_constant_coefficients(const problem& p) {
  return p.coefficients == coefficients::constant;
}

/// Checks a problem and fills in its defaults. Throws `error` with the argument and both values.
resolved resolve(const problem& p);

/// Returns the lines and axes that a backend walks over. Pointers remain null.
geometry make_geometry(const problem& p, const resolved& r);

/// Throws if `x` shares elements with an input without being the same array.
void check_overlap(const problem& p, const resolved& r, const void* const (&inputs)[input_count],
                   const void* x);

/// Returns the strides of a dense array in C order.
std::vector<index_t> dense_strides(const std::vector<index_t>& extents);

/// Returns the number of elements; saturates.
index_t product(const std::vector<index_t>& extents);

/// Throws if an array reaches beyond 64-bit addresses.
void check_size(const resolved_array& a, value_type type);

/// Throws if two elements of an array that is written lie at one address. Its first axis is that of
/// the right-hand sides.
void check_distinct(const resolved_array& a);

/// Returns a shape as text, as "(4, 7)".
std::string shape_text(const std::vector<index_t>& shape);

}  // namespace tridia::layout
