// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/parts/parcels.hpp"

namespace tridia::distributed {

/// How much x at one end of a rank's rows moves that at the other end (`through`: the first x by
/// what is right of the rank, the last x by what is left of it), and x just outside (`across`: the
/// first x by its left neighbour, the last x by its right one); the largest of all lines.
struct decay {
  double through_left, through_right, across_left, across_right;
};

/// Of the equations of `core::chunk` without pivoting.
decay decay_of(value_type, const parcels&, const void* equations);

/// What neighbours get wrong at their border if they take nothing from beyond each other, relative
/// to the largest |x|. With last = b - through_right x_far - across_right first at the left one and
/// first = c - across_left last - through_left x_beyond at the right one, the terms in x_far and
/// x_beyond are what is left out; infinite or NaN where nothing can be said.
double neglected(const decay&);

}  // namespace tridia::distributed
