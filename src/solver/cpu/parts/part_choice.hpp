// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

namespace tridia::cpu {

/// Returns whether there are so few lines that lanes or threads are left without work if each line
/// is eliminated in a lane.
bool are_few_lines(const layout::geometry&);

/// Returns whether to cut lines into parts is faster than to eliminate each in a lane. That depends
/// on the shape and the type alone, and for constants on the size of a cache, so that results do.
/// Lines are of one length.
bool parts_are_faster(const layout::geometry&, coefficients, value_type);

}  // namespace tridia::cpu
