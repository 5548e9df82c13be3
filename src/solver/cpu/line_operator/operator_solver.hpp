// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

namespace tridia::cpu {

/// Makes an executor that solves with constant coefficients as an operator, whose stencil is the
/// identity: whole lines, short ones times a dense matrix, or parts of lines where the algorithm is
/// the partition method. Returns null where elimination along lines is as fast or more accurate:
/// where lines are not contiguous, numbers complex, rows interchanged, or parts depend on each
/// other too far. Throws `error` (singular) as line_operator::factor.
std::unique_ptr<const solver::executor> make_operator_solver(const solver::task&);

/// Returns whether that cuts lines of real constants into parts in any type, if their matrix lets
/// it: contiguous lines that are few or long.
bool operators_cut(const layout::geometry&);

}  // namespace tridia::cpu
