// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/value.hpp"
#include "layout/row_places.hpp"
#include "layout/status.hpp"

// This file enters the statuses of lines; a line is a matrix with one of its right-hand sides.
namespace tridia::layout {

/// Returns whether several lines have one status: then zeros are entered first, and each line adds
/// what it finds. Otherwise each line enters its own, and no other launch is needed.
TRIDIA_FN bool shares_status(const geometry& g) {
  for (int k = 0; k < g.right_sides.count; ++k) {
    const axis& a = g.right_sides.at[k];
    if (a.extent > 1 && a.stride[status] == 0) return true;
  }
  return false;
}

/// Enumerates the right-hand sides of a matrix that belong to one system, and so have one status. A
/// matrix has several systems where the batch has axes along which all coefficients are broadcast.
struct sharing_right_sides {
  index_t first = 0, step = 1, count = 1;
  index_t x_step = 0;  // elements of x from one to the next

  TRIDIA_FN sharing_right_sides(const geometry& g, index_t system) {
    // At most one axis shares a status, that of the problem's right-hand sides.
    index_t inner = 1;
    for (int k = g.right_sides.count; k-- > 0; inner *= g.right_sides.at[k].extent) {
      const axis& a = g.right_sides.at[k];
      if (a.stride[status] == 0) step = inner, count = a.extent, x_step = a.stride[x];
    }
    first = step == 1 ? system * count : system / step * step * count + system % step;
  }
  /// Returns right-hand side `r` of `count`.
  [[nodiscard]] TRIDIA_FN index_t at(index_t r) const { return first + r * step; }
};

/// Returns the number of systems of a matrix: its right-hand sides, those that have one status
/// counted once.
TRIDIA_FN index_t systems_of_matrix(const geometry& g) {
  const index_t sharing = sharing_right_sides(g, 0).count;
  return sharing > 0 ? g.right_sides.size / sharing : 0;
}

/// Fills `n` rows of a line with NaN, where `rows` says from `first` on: `member` of a `team` of
/// threads fills its share of them.
template <class V, class Rows>
TRIDIA_FN void fill_rows_with_nan(V* first, const Rows& rows, index_t n, index_t member = 0,
                                  index_t team = 1) {
  for (index_t k = member; k < n; k += team) first[rows.at(k)] = core::not_a_number<V>();
}
/// Fills rows that are `step` elements apart.
template <class V>
TRIDIA_FN void fill_line_with_nan(V* first, index_t step, index_t n, index_t member = 0,
                                  index_t team = 1) {
  fill_rows_with_nan(first, even_rows(step), n, member, team);
}

TRIDIA_FN void enter_line_status(index_t* at, bool shared, index_t status) {
  if (!shared) {
    *at = status;
  } else if (status != 0) {
    merge_status(at, 0, status);
  }
}

}  // namespace tridia::layout
