// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

#include <memory>

namespace tridia::cpu {

/// Returns an executor that cuts lines into parts (the partition method), or null where lines are
/// too short for that, or are a ragged batch.
std::unique_ptr<const solver::executor> make_part_executor(const solver::task&);

}  // namespace tridia::cpu
