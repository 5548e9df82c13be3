// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"

#include <memory>

namespace tridia::compact::cpu {

/// Makes an executor that applies an operator to whole lines, by strips of them.
std::unique_ptr<const operator_executor> make_whole_lines(const task&);
/// Makes an executor that applies an operator to parts of long lines
/// (line_operator/split_lines.hpp), which are lines for the lanes and threads that whole lines are
/// too few for, or short enough for the cache. Returns null where whole lines are as good, or
/// cannot be split.
std::unique_ptr<const operator_executor> make_parts_of_lines(const task&);

}  // namespace tridia::compact::cpu
