// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"
#include "tridia/tuning.hpp"

#include <string_view>

namespace tridia::cuda {

/// Returns the tuning table that comes with the library.
const tuning_table& shipped_tuning();

/// Returns the entry measured for a kernel that solves the task's systems, or similar ones: from
/// the task's own table, else from the shipped one; null if neither has one. `capability`: 90 is
/// 9.0.
const tuning_entry* tuned(const solver::task&, std::string_view kernel, int capability,
                          bool interleaved);

/// Returns the value of a named algorithm's only parameter that was measured for systems like the
/// task's, in whatever layout; 0 if none was, or if the algorithm's rule was the best.
int tuned_parameter(const solver::task&, int capability);

}  // namespace tridia::cuda
