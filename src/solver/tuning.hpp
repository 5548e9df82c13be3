// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/tuning.hpp"

namespace tridia::solver {

/// Returns the entry that says most about systems as `wanted` describes them (its values do not
/// matter): of the same kind, at the nearest number of rows; null if none is near.
const tuning_entry* nearest(const tuning_table&, const tuning_entry& wanted);

}  // namespace tridia::solver
