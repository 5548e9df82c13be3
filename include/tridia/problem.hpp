// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/near_toeplitz.hpp"
#include "tridia/types.hpp"

#include <vector>

namespace tridia {

/// Describes a batch of tridiagonal systems A x = rhs: shapes, strides and kinds, not the numbers.
///
/// A system's row i reads dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = rhs[i], 0 <= i < n. The systems
/// are the lines along `axis` of N-dimensional arrays; the other axes are the batch. Nothing is
/// checked before a plan is made of it.
struct problem {
  /// This is the element type of all arrays.
  value_type type = value_type::f64;

  /// This is the shape of `rhs` and `x`: one entry per axis, at least one axis. Any entry may be 0.
  std::vector<index_t> extents{};

  /// The systems lie along this axis; a negative number counts from the last axis, as in NumPy.
  int axis = -1;

  /// This is the number of right-hand sides of every system, from 0: `rhs` and `x` are this many
  /// arrays of `extents`. The right-hand sides of a system have one status, and where it is not 0,
  /// `x` of all of them is NaN (`execution::status`).
  index_t right_hand_sides = 1;

  tridia::boundary boundary = tridia::boundary::regular;
  tridia::pivoting pivoting = tridia::pivoting::partial;
  tridia::operation operation = tridia::operation::none;
  tridia::coefficients coefficients = tridia::coefficients::per_system;

  /// If true, `dl` and `du` have n - 1 entries per system, as in LAPACK: dl[0] is A(1, 0). Regular
  /// boundaries only.
  bool short_off_diagonals = false;

  /// These strides count elements, one per axis, of any sign; a pointer is that of element
  /// (0, …, 0). Empty means dense in C order (over the shape of that array: n - 1 along the axis
  /// for short off-diagonals; for shared coefficients 1 along the axis and 0 elsewhere). A
  /// coefficient's stride may be 0 along any axis, which broadcasts it there, and so may that of
  /// `rhs`.
  std::vector<index_t> dl_strides{}, d_strides{}, du_strides{}, rhs_strides{}, x_strides{};

  /// These steps count elements from one right-hand side to the next; 0 means one array of
  /// `extents` after another, which needs `rhs_strides` (`x_strides`) to be empty.
  index_t rhs_step = 0, x_step = 0;

  /// Offsets that are not empty describe a ragged batch: systems of different lengths, which have
  /// coefficients of their own. System k has offsets[k+1] - offsets[k] rows, so there is one offset
  /// more than systems. offsets[0] = 0, and offsets never decrease. Where the rows lie,
  /// `ragged_layout` says.
  std::vector<index_t> offsets{};

  /// Says where the rows of a ragged batch lie: systems A, B, C of 4, 2 and 1 rows, in memory from
  /// left to right, are
  ///
  ///   concatenated   A0 A1 A2 A3 B0 B1 C0              extents {7}
  ///   packed         A0 B0 C0 A1 B1 A2 A3              extents {7}
  ///   padded         A0 B0 C0 A1 B1 -- A2 -- -- A3     extents {4, 3}, axis 0
  ///                  A0 A1 A2 A3 B0 B1 -- -- C0        extents {3, 4}, axis 1
  ///
  /// Concatenated: system k holds the rows offsets[k] to offsets[k+1] - 1 of the only axis. Packed
  /// (the input of cuThomasVBatch: Valero-Lara et al. 2018): systems are sorted, longest first, and
  /// row i of those that have so many follows row i - 1. In both the last offset is extents[0].
  /// Padded: there are two axes, `axis` is at least as long as the longest system, and the other
  /// one has an entry for each; strides may leave more room. What is padding is never read or
  /// written.
  ///
  /// Short off-diagonals lie likewise, those of each non-empty system one entry shorter; padded,
  /// they have one entry less along `axis`.
  tridia::ragged_layout ragged_layout = ragged_layout::concatenated;

  /// This is A for `coefficients::constant` (and only there), whatever `n` is. Its numbers are not
  /// rounded to `type`; a plan factors it in higher precision. Real types take real numbers.
  near_toeplitz matrix{};
};

}  // namespace tridia
