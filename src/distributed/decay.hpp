// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/line_batches.hpp"

namespace tridia::distributed {

/// Holds how strongly the first and the last x of a rank's rows depend on x beyond the other end
/// (`through`: the first x on what is right of the rank, the last x on what is left of it) and on x
/// just outside (`neighbour`: the first x on its left neighbour, the last x on its right one). Each
/// value is the largest of all lines.
struct decay {
  double through_left, through_right, neighbour_left, neighbour_right;
};

/// Returns the decay of the equations of `core::chunk` without pivoting.
decay decay_of(value_type, const line_batches&, const void* equations);

/// Returns the error of x at a border, relative to the largest |x|, if the two neighbours neglect
/// all x beyond each other. With last = b - through_right x_far - neighbour_right first at the left
/// one and first = c - neighbour_left last - through_left x_beyond at the right one, the terms in
/// x_far and x_beyond are neglected. The error is infinite or NaN where there is no bound.
double neglected(const decay&);

}  // namespace tridia::distributed
