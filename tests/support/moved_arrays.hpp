// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <string>
#include <vector>

namespace tridia_test {

/// Moves five arrays of `systems` lines of `rows` values, one after another, through a tile of
/// shared memory, where the fifth is added to each of the others; these four come out. Returns what
/// went wrong, or nothing.
std::string move_five_arrays(tridia::index_t systems, tridia::index_t rows,
                             const std::vector<double> (&in)[5], std::vector<double> (&out)[4]);

}  // namespace tridia_test
