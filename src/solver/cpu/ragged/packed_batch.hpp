// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

namespace tridia::cpu {

/// Makes the executor of packed ragged batches (`ragged_layout::packed`). A row of neighbouring
/// systems lies in one piece of memory, but rows are not evenly spaced, which the vector kernels
/// need; systems are solved a scalar at a time.
std::unique_ptr<const solver::executor> make_packed_batch(const solver::task& t);

}  // namespace tridia::cpu
