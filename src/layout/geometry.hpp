// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "tridia/types.hpp"

// These structures describe a problem's arrays for a backend: lines of rows, and the axes of the
// batch. They are plain data, passed to kernels by value.
namespace tridia::layout {

/// Names the arrays of an execution, after the transpose has been resolved: `sub` is dl, or for A^T
/// du.
enum array { sub, diag, sup, rhs, x, status, array_count };

/// Locates the rows of a line in an array: row k lies `origin + k * step` elements from the line's
/// start.
struct along {
  index_t origin, step;
};

/// Says where the entry of a matrix's corner lies, for `sub` in row 0 and `sup` in row n - 1.
enum class edge {
  absent,   // regular: there is none, and nothing is read
  inside,   // periodic: where the row has it
  wrapped,  // periodic and transposed: at the other end of the array, one row beyond the line
};

/// Describes an axis of the batch, with its stride in each of `Arrays` arrays.
template <int Arrays>
struct axis_of {
  index_t extent;
  index_t stride[Arrays];
};

inline constexpr int max_axes = 8;

/// Describes a product of axes, the last one the fastest; `size` is the number of points.
template <int Arrays>
struct axes_of {
  int count;
  index_t size;
  axis_of<Arrays> at[max_axes];

  /// Returns the element at point `i` in each array, relative to the first point.
  TRIDIA_FN void offsets(index_t i, index_t (&out)[Arrays]) const {
    for (int a = 0; a < Arrays; ++a) out[a] = 0;
    TRIDIA_NO_UNROLL
    for (int k = count; k-- > 1;) {
      const index_t q = i / at[k].extent, r = i - q * at[k].extent;
      for (int a = 0; a < Arrays; ++a) out[a] += r * at[k].stride[a];
      i = q;
    }
    // The slowest axis takes the remainder: this saves one division, often the only one.
    for (int a = 0; a < Arrays && count > 0; ++a) out[a] += i * at[0].stride[a];
  }
};

/// Describes the arrays of a batch of lines: `Inputs` are read, `sub`, `diag` and `sup` before all
/// others, and `Outputs` are written; the last array holds the statuses. A solve reads four and
/// writes one; fused operations, as the gradients of a solve, have more.
template <int Inputs, int Outputs>
struct geometry_of {
  static constexpr int inputs = Inputs, outputs = Outputs, arrays = Inputs + Outputs + 1;

  index_t rows;  // of every system; of the longest one in a ragged batch
  along lines[Inputs + Outputs];
  edge corners;
  bool edges_readable;  // the arrays have an entry where sub of row 0 and sup of row n - 1 would be
  bool conjugate;       // the coefficients are conjugated as they are read
  axes_of<arrays> matrices;     // each point is a matrix
  axes_of<arrays> right_sides;  // each point is a right-hand side of the same matrix
  // In a ragged batch, system k has ragged[k+1] - ragged[k] rows. Where systems are concatenated,
  // these are its rows, and its off-diagonals begin at entry off_diagonal[k]; elsewhere the axes
  // say where a system begins. Null if all systems have `rows` rows. In memory of the backend.
  const index_t* ragged;
  const index_t* off_diagonal;
  bool concatenated;
  // In a packed batch, row k of the systems that have it begins row_starts[k] steps from the first
  // row, and row 0 of a system is row first_row[a] of array a (sub, diag, sup). Only what reads
  // rows through any_rows takes such a batch. Null elsewhere. In memory of the backend.
  const index_t* row_starts;
  index_t first_row[3];

  TRIDIA_FN index_t rows_of(index_t matrix) const {
    return ragged ? ragged[matrix + 1] - ragged[matrix] : rows;
  }

  /// Returns where the line of a matrix and a right-hand side begins in each array.
  TRIDIA_FN void line_offsets(index_t matrix, index_t right_side, index_t (&out)[arrays]) const {
    matrices.offsets(matrix, out);
    if (concatenated) {
      for (int a = 0; a < inputs + outputs; ++a) out[a] = ragged[matrix] * lines[a].step;
      out[sub] = off_diagonal[matrix] * lines[sub].step;
      out[sup] = off_diagonal[matrix] * lines[sup].step;
    }
    if (right_sides.size > 1) {
      index_t more[arrays];
      right_sides.offsets(right_side, more);
      for (int a = 0; a < arrays; ++a) out[a] += more[a];
    }
  }

  /// Returns the row that `sub` of row 0 (`sup` of row n - 1) is read from.
  TRIDIA_FN index_t sub_corner(index_t n) const { return corners == edge::wrapped ? n : 0; }
  TRIDIA_FN index_t sup_corner(index_t n) const { return corners == edge::wrapped ? -1 : n - 1; }
};

using axis = axis_of<array_count>;
using axes = axes_of<array_count>;
using geometry = geometry_of<x, 1>;
static_assert(geometry::arrays == array_count && geometry::inputs == x);

/// Returns the same points in the same order, with those axes joined that one stride steps through
/// in all arrays but the statuses: the strides of statuses are not to be used.
axes joined(const axes&);

/// Returns the axes with their strides in one array alone.
axes_of<1> axes_in(const axes&, array);

/// Returns whether the next entry in memory of a right-hand side belongs to another matrix's system
/// rather than to another row.
bool is_interleaved(const geometry&);

/// Returns the same lines as systems that have one right-hand side each: matrices are broadcast
/// over their right-hand sides. Statuses are those of lines, one after another, where right-hand
/// sides share theirs. Not for ragged batches. Throws `error` (unsupported) where too many axes are
/// left.
geometry broadcast_matrices(const geometry&);

/// Returns how many right-hand sides each matrix has if all lines of the first ones are numbered
/// first, then those of the second ones, and so on, as in a broadcast; 1 if lines are numbered
/// otherwise, or if there is one matrix alone.
index_t outer_right_sides(const geometry&);

}  // namespace tridia::layout
