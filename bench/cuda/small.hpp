// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"

namespace tridia_bench {

/// Adds problems so small that launching them takes most of the time: the replay of a graph that
/// holds one solve, beside one that holds an empty kernel; and what a call of `execute` takes on
/// the host, beside the launch of an empty kernel.
void add_small(suite& s);

}  // namespace tridia_bench
