// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"
#include "tridia/tuning.hpp"

#include <string_view>

namespace tridia::cuda {

/// The table that comes with the library.
const tuning_table& shipped_tuning();

/// What was measured for a kernel that solves the task's systems, or near: by the task's own table,
/// else by the shipped one; null if by neither. `capability`: 90 is 9.0.
const tuning_entry* tuned(const solver::task&, std::string_view kernel, int capability,
                          bool interleaved);

}  // namespace tridia::cuda
