// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/line_operator.hpp"
#include "solver/constant.hpp"
#include "solver/cuda/scan.hpp"

#include <optional>

namespace tridia::compact {

/// A of the operator, as the solvers take it.
solver::constant_matrix matrix_of(const line_operator&);

/// Whether neighbouring lines are closer in `out` than the rows of one.
bool is_across(const layout::geometry&);

/// What the kernels of solver/cuda/scan.hpp are to do for it, or nothing where a stencil is longer
/// than they have room for. `lines`: lines[rhs], lines[x] and right_sides are set.
std::optional<cuda::scan_task> line_task(const line_operator&, value_type,
                                         const layout::geometry& lines);

}  // namespace tridia::compact
