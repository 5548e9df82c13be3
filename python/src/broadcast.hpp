// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"

#include <vector>

namespace tridia::python {

/// Describes what the arrays of one solve have in common, broadcast as NumPy broadcasts.
struct solve_shape {
  std::vector<index_t> extents;  ///< This is the shape of the result.
  std::size_t axis;
  bool short_off_diagonals;
  bool shared;                        ///< One matrix for all systems.
  std::vector<index_t> dl, d, du, b;  ///< These are strides over `extents`; 0 where broadcast.
};

/// Broadcasts the arrays of a solve. One-dimensional arrays lie along the axis, others are aligned
/// at the last axis; an extent of 1 is broadcast; both off-diagonals may be one shorter along the
/// axis, unless periodic. Throws ValueError with the name and both shapes.
solve_shape broadcast(const array& dl, const array& d, const array& du, const array& b,
                      index_t axis, bool periodic);

/// Returns the strides over `s.extents` of an array that gradients are written to, of `rows` along
/// the axis: 0 where its extent of 1 stands for a sum. Throws ValueError where it does not
/// broadcast to the result.
std::vector<index_t> gradient_strides(const array& a, const solve_shape& s, index_t rows);

}  // namespace tridia::python
