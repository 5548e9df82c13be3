// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

// These types say where the rows of a line lie: `at(k)` is the distance from where row 0 would be
// to row k, in elements. What reads and writes lines takes one of them as a parameter, so that
// kernels of batches that are never packed do not ask.
namespace tridia::layout {

/// Locates rows that are evenly spaced.
struct even_rows {
  index_t step;
  TRIDIA_FN even_rows(const geometry& g, layout::array a) : step(g.lines[a].step) {}
  TRIDIA_FN even_rows(index_t s) : step(s) {}
  TRIDIA_FN index_t at(index_t k) const { return k * step; }
  static TRIDIA_FN index_t at(const geometry& g, layout::array a, index_t k) {
    return k * g.lines[a].step;
  }
};

/// Locates the rows of any batch: those of a packed one are listed.
struct any_rows {
  index_t step;
  const index_t* starts;
  TRIDIA_FN any_rows(const geometry& g, layout::array a)
      : step(g.lines[a].step), starts(g.row_starts) {}
  TRIDIA_FN index_t at(index_t k) const { return (starts != nullptr ? starts[k] : k) * step; }
  static TRIDIA_FN index_t at(const geometry& g, layout::array a, index_t k) {
    const index_t row = g.row_starts != nullptr ? g.row_starts[k + g.first_row[a]] : k;
    return row * g.lines[a].step;
  }
};

}  // namespace tridia::layout
