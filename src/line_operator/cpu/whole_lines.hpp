// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_operation.hpp"

#include <memory>
#include <vector>

namespace tridia::line_operator::cpu {

/// Describes the use of lines that are a slab of larger arrays.
struct slab_use {
  index_t values = 0;    // of the larger arrays; 0: the lines are all of them
  bool is_kept = false;  // the result is used again at once, so that it should stay in the cache
};

/// Makes what applies an operator to whole lines, by groups of them. If `gather` is not null, it
/// applies gather line instead of the task's operator, where `gather` is a stencil: so an adjoint
/// takes one pass over the arrays. The scale of the task's operator is then applied first. Results
/// that `gather` is given are among the numbers that the task's operator is. If `dense` is not
/// empty, it is the matrix of all that, row after row, and lines are multiplied with it. Throws
/// `error` (singular) as `factor_line`.
std::unique_ptr<const line_operation> make_whole_lines(const operation_task&,
                                                       const specification* gather,
                                                       const slab_use& = {},
                                                       const std::vector<double>& dense = {});

/// Returns the matrix of what `make_whole_lines` applies, row after row: what that makes of unit
/// vectors. Empty if lines are not short.
std::vector<double> dense_matrix(const operation_task&, const specification* gather);

}  // namespace tridia::line_operator::cpu
