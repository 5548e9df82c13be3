// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"

#include <memory>
#include <vector>

namespace tridia::compact::cpu {

/// Describes the use of lines that are a slab of larger arrays.
struct slab_use {
  index_t values = 0;    // of the larger arrays; 0: the lines are all of them
  bool is_kept = false;  // the result is used again at once, so that it should stay in the cache
};

/// Makes an executor that applies an operator to whole lines, by groups of them. If `gather` is not
/// null, it applies gather line instead of the task's line operator, where `gather` is a stencil:
/// so an adjoint takes one pass over the arrays. The scale of the task's operator is then applied
/// first. If `dense` is not empty, it is the matrix of all that, row after row, and lines are
/// multiplied with it.
std::unique_ptr<const operator_executor> make_whole_lines(
    const task&, const line_operator::specification* gather, const slab_use& = {},
    const std::vector<double>& dense = {});
/// Makes an executor of whole lines for an operator or, gathering its results, for an adjoint.
std::unique_ptr<const operator_executor> make_one_pass(const task&, const slab_use&);
/// Returns whether that is how an operator or an adjoint is done.
bool takes_one_pass(const task&);
/// Returns whether whole lines are too few, or a strip of them does not fit in the cache of a core.
bool are_long(const task&);
/// Makes an executor that applies an operator to parts of long lines
/// (line_operator/split_lines.hpp), which are lines for the lanes and threads that whole lines are
/// too few for, or short enough for the cache. Returns null where whole lines are as good, or
/// cannot be split.
std::unique_ptr<const operator_executor> make_parts_of_lines(const task&);

}  // namespace tridia::compact::cpu
