// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_group.hpp"

namespace tridia::line_operator::cpu {

/// Holds the values that pass from one chunk to the next, in every lane.
template <class R>
struct alignas(64) carried {
  R left[most_lanes], border[most_lanes];                  // of the forward sweep
  R next[most_lanes], after[most_lanes], end[most_lanes];  // and of the backward sweep
  R zero[most_lanes];  // times every x of a periodic line: NaN if one of them is not finite
};

}  // namespace tridia::line_operator::cpu
