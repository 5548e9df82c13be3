// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/elimination.hpp"
#include "layout/row_places.hpp"

// These types read and write one line at a time, a scalar at a time, at any strides.
namespace tridia::layout {

/// Reads the rows of the matrix of one line.
template <class V, class Rows = even_rows>
struct strided_matrix {
  const geometry& g;
  index_t n;
  const V* array[3];  // off-diagonals without entries may be null
  index_t start[3];

  TRIDIA_FN strided_matrix(const geometry& geo, index_t rows, const V* const (&in)[4],
                           const index_t (&at)[array_count])
      : g(geo), n(rows) {
    for (const int a : {sub, diag, sup}) {
      array[a] = in[a];
      start[a] = at[a] + g.lines[a].origin;
    }
  }

  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V entry(layout::array a, index_t k) const {
    return array[a][start[a] + Rows::at(g, a, k)];
  }
  TRIDIA_FN core::row<V> get(index_t k) const {
    const bool corners = g.corners != edge::absent;
    core::row<V> r{V(0), entry(diag, k), V(0)};
    if (k > 0 || corners) r.sub = entry(sub, k > 0 ? k : g.sub_corner(n));
    if (k < n - 1 || corners) r.sup = entry(sup, k < n - 1 ? k : g.sup_corner(n));
    if (g.conjugate) r = {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    return corners && n < 3 ? core::folded(r, k, n) : r;
  }
};

/// Reads a right-hand side; remembers the first row that is not finite, as x may overwrite it.
template <class V, class Rows = even_rows>
struct strided_rhs {
  const V* base;
  Rows rows;
  index_t first_nonfinite = 0;  // counted from 1

  TRIDIA_FN void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t k) {
    const V r = base[rows.at(k)];
    if (!core::is_finite(r) && (first_nonfinite == 0 || k + 1 < first_nonfinite))
      first_nonfinite = k + 1;
    return r;
  }
};

template <class V, class Rows = even_rows>
struct strided_solution {
  V* base;
  Rows rows;
  TRIDIA_FN void open(index_t) {}
  TRIDIA_FN void flush(index_t, index_t) {}
  TRIDIA_FN void put(index_t k, V v) { base[rows.at(k)] = v; }
  TRIDIA_FN V get(index_t k) const { return base[rows.at(k)]; }
};

}  // namespace tridia::layout
