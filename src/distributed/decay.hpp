// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/line_batches.hpp"

namespace tridia::distributed {

/// How much x at one end of a rank's rows moves that at the other end (`through`: the first x by
/// what is right of the rank, the last x by what is left of it), and x just outside (`neighbour`:
/// the first x by its left neighbour, the last x by its right one); the largest of all lines.
struct decay {
  double through_left, through_right, neighbour_left, neighbour_right;
};

/// Of the equations of `core::chunk` without pivoting.
decay decay_of(value_type, const line_batches&, const void* equations);

/// What neighbours get wrong at their border if they take nothing from beyond each other, relative
/// to the largest |x|. With last = b - through_right x_far - neighbour_right first at the left one
/// and first = c - neighbour_left last - through_left x_beyond at the right one, the terms in x_far
/// and x_beyond are what is left out; infinite or NaN where nothing can be said.
double neglected(const decay&);

}  // namespace tridia::distributed
