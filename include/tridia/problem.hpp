// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/near_toeplitz.hpp"
#include "tridia/types.hpp"

#include <vector>

namespace tridia {

/// Many tridiagonal systems A x = rhs: everything about them but the numbers.
///
/// A system's row i reads dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = rhs[i], 0 <= i < n. The systems
/// are the lines along `axis` of N-dimensional arrays; the other axes are the batch. Nothing is
/// checked before a plan is made of it.
struct problem {
  /// Of all arrays.
  value_type type = value_type::f64;

  /// Shape of `rhs` and `x`, one entry an axis, any number of axes from 1. Any entry may be 0.
  std::vector<index_t> extents{};

  /// The axis that the systems lie along; negative counts from the last, as in NumPy.
  int axis = -1;

  /// Right-hand sides of every system, from 0: `rhs` and `x` are this many arrays of `extents`.
  /// They have one status, and where it is not 0 `x` of all of them is NaN (`execution::status`).
  index_t right_hand_sides = 1;

  tridia::boundary boundary = tridia::boundary::regular;
  tridia::pivoting pivoting = tridia::pivoting::partial;
  tridia::operation operation = tridia::operation::none;
  tridia::coefficients coefficients = tridia::coefficients::per_system;

  /// `dl` and `du` have n - 1 entries a system, as in LAPACK: dl[0] is A(1, 0). Regular only.
  bool short_off_diagonals = false;

  /// Strides in elements, one an axis, any sign; a pointer is that of element (0, …, 0). Empty
  /// means dense in C order (over the shape of that array: n - 1 along the axis for short
  /// off-diagonals; for shared coefficients 1 along the axis and 0 elsewhere). A coefficient's
  /// stride may be 0 along any axis, which broadcasts it there, and so may that of `rhs`.
  std::vector<index_t> dl_strides{}, d_strides{}, du_strides{}, rhs_strides{}, x_strides{};

  /// Elements from one right-hand side to the next; 0 means one array of `extents` after another,
  /// which needs `rhs_strides` (`x_strides`) to be empty.
  index_t rhs_step = 0, x_step = 0;

  /// A ragged batch, if not empty: systems of different lengths, one after another along the only
  /// axis; system k holds rows offsets[k] to offsets[k+1] - 1, so there is one offset more than
  /// systems. offsets[0] = 0, none decreases, and the last is extents[0]. Short off-diagonals are
  /// packed likewise, each non-empty system one entry shorter.
  std::vector<index_t> offsets{};

  /// Of `coefficients::constant` alone: A, whatever `n` is. Its numbers are not rounded to `type`;
  /// a plan factors it in higher precision. Real types take real numbers.
  near_toeplitz matrix{};
};

}  // namespace tridia
