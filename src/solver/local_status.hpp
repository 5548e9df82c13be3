// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::solver {

/// This is the status of a line of which only a part is here, where it has no finite solution but
/// none of the rows here shows why. Other statuses are as in `execution::status`, rows counted from
/// the first one here.
inline constexpr index_t failed_elsewhere = INT64_MAX;

}  // namespace tridia::solver
