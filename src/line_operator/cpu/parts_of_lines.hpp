// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_operation.hpp"

#include <memory>

namespace tridia::line_operator::cpu {

/// Returns whether whole lines of so many points are too few, or a batch of them does not fit in
/// the cache of a core.
bool are_long(index_t points, index_t lines, value_type);

/// Makes what applies an operator to parts of long lines (line_operator/split_lines.hpp), which are
/// lines for the lanes and threads that whole lines are too few for, or short enough for the cache.
/// Returns null where whole lines are as good, or cannot be split.
std::unique_ptr<const line_operation> make_parts_of_lines(const operation_task&);

}  // namespace tridia::line_operator::cpu
