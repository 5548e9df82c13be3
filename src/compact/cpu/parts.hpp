// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"

#include <memory>

namespace tridia::compact::cpu {

/// Makes an executor that applies an operator to whole lines, by groups of them. If `gather` is not
/// null, it applies gather line instead of the task's line operator, where `gather` is a stencil:
/// so an adjoint takes one pass over the arrays. The scale of the task's operator is then applied
/// first.
std::unique_ptr<const operator_executor> make_whole_lines(
    const task&, const line_operator::specification* gather);
/// Returns whether whole lines are too few, or a strip of them does not fit in the cache of a core.
bool are_long(const task&);
/// Makes an executor that applies an operator to parts of long lines
/// (line_operator/split_lines.hpp), which are lines for the lanes and threads that whole lines are
/// too few for, or short enough for the cache. Returns null where whole lines are as good, or
/// cannot be split.
std::unique_ptr<const operator_executor> make_parts_of_lines(const task&);

}  // namespace tridia::compact::cpu
