// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "layout/geometry.hpp"

// The gradients of a matrix are the three diagonals of -u v^T, summed over the lines that share it.
// These structures describe such sums to a backend, and hold the arithmetic of one product.
namespace tridia::solver {

/// Numbers the diagonals: `sub_band` is dl.
enum band { sub_band, diag_band, sup_band, band_count };

/// Names the arrays of a pass: `u` is indexed by rows of the matrix and `v` by its columns, and the
/// gradient of band b is array `first_band` + b.
enum product_array { u_array, v_array, first_band, product_array_count = first_band + band_count };

/// Returns the array of a band's gradient.
TRIDIA_FN constexpr int array_of(int band) { return static_cast<int>(first_band) + band; }

using product_axes = layout::axes_of<product_array_count>;

/// Says which entries the diagonals have, and which factors of their products are conjugated.
struct band_rule {
  bool periodic;
  bool conjugate_u, conjugate_v;
  bool edges_stored;  // gradients have an entry for dl of row 0 and du of row n - 1

  /// Returns the row of v that a band of row k of n rows is multiplied with; -1 if there is none.
  TRIDIA_FN index_t column(int b, index_t k, index_t n) const {
    const index_t j = k + b - diag_band;
    if (j >= 0 && j < n) return j;
    return !periodic ? -1 : j < 0 ? n - 1 : 0;
  }
  /// Returns whether the gradient of a band has an entry for row k of n rows.
  TRIDIA_FN bool is_stored(int b, index_t k, index_t n) const {
    return edges_stored || !((b == sub_band && k == 0) || (b == sup_band && k == n - 1));
  }
};

/// Describes one pass over u and v, which forms the bands that are summed over the same axes.
struct band_pass : band_rule {
  index_t rows;  // of every line; of the longest one in a ragged batch
  bool wanted[band_count];
  bool rows_summed;  // a gradient is one number for all rows of a line
  layout::along lines[product_array_count];
  product_axes kept;    // each point has gradients
  product_axes summed;  // gradients are sums over these points
  // These say where the lines of a ragged batch begin, as in layout::geometry, and lie in memory of
  // the backend.
  const index_t* ragged;
  const index_t* off_diagonal;

  TRIDIA_FN index_t rows_of(index_t point) const {
    return ragged ? ragged[point + 1] - ragged[point] : rows;
  }
  /// Returns the number of pairs of a kept point and a row.
  [[nodiscard]] TRIDIA_FN index_t cells() const { return kept.size * rows; }

  /// Returns where row 0 of a kept point lies in each array.
  TRIDIA_FN void begin(index_t point, index_t (&at)[product_array_count]) const {
    kept.offsets(point, at);
    for (int a = 0; ragged && a < product_array_count; ++a) {
      const bool off = a == array_of(sub_band) || a == array_of(sup_band);
      at[a] = (off ? off_diagonal : ragged)[point] * lines[a].step;
    }
    for (int a = 0; a < product_array_count; ++a) at[a] += lines[a].origin;
  }
};

/// Returns a, or its conjugate.
template <class V>
TRIDIA_FN V conjugated_if(bool conjugate, V a) {
  return conjugate ? core::conjugate(a) : a;
}

/// Returns -u v; the operands have been conjugated where they have to be.
template <class V>
TRIDIA_FN V band_product(V u, V v) {
  return -(u * v);
}

/// Says how a pass is divided: the points that are summed over are cut into blocks, each of which
/// makes a partial sum of every cell, unless one block writes the gradients themselves.
struct sum_blocks {
  index_t count, points;  // blocks, and the points of a block

  [[nodiscard]] TRIDIA_FN index_t first(index_t block) const { return block * points; }
  [[nodiscard]] TRIDIA_FN index_t last(index_t block, index_t all) const {
    return first(block) + points < all ? first(block) + points : all;
  }
};

/// Holds the arrays that a pass writes: gradients or partial sums; null where a band is not wanted.
template <class V>
struct band_targets {
  V* to[band_count];
  index_t block_stride;  // elements from the sums of one block to those of the next
};

/// Adds up partial sums in a fixed order.
template <class V>
struct partial_sums {
  band_pass pass;    // the arrays of its bands are the gradients
  const V* partial;  // [band][block][cell]
  index_t blocks;
  V* to[band_count];

  /// Returns the number of sums of a band.
  [[nodiscard]] TRIDIA_FN index_t count() const {
    return pass.rows_summed ? pass.kept.size : pass.cells();
  }
  /// Returns the sum of every `step`-th of the numbers that sum i of a band consists of.
  TRIDIA_FN V some(int b, index_t i, index_t first, index_t step) const {
    const index_t cells = pass.cells(), rows = pass.rows_summed ? pass.rows : 1;
    const V* const base = partial + b * blocks * cells + i * rows;
    V sum(0);
    if (rows == 1) {
      for (index_t k = first; k < blocks; k += step) sum = sum + base[k * cells];
    } else {
      for (index_t block = 0; block < blocks; ++block) {
        for (index_t k = first; k < rows; k += step) sum = sum + base[block * cells + k];
      }
    }
    return sum;
  }
  TRIDIA_FN void put(int b, index_t i, V sum) const {
    const index_t point = pass.rows_summed ? i : i / pass.rows, k = i - point * pass.rows;
    index_t at[product_array_count];
    pass.begin(point, at);
    const int a = array_of(b);
    if (pass.rows_summed) {
      to[b][at[a] - pass.lines[a].origin] = sum;
    } else if (pass.is_stored(b, k, pass.rows)) {
      to[b][at[a] + k * pass.lines[a].step] = sum;
    }
  }
};

}  // namespace tridia::solver
