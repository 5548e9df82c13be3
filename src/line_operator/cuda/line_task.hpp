// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/scan.hpp"
#include "line_operator/specification.hpp"

#include <optional>

namespace tridia::line_operator {

/// Returns what the kernels of scan.hpp are to do for an operator, or nothing where a stencil is
/// longer than they have room for. `lines`: lines[rhs], lines[x] and right_sides are set.
std::optional<scan_task> line_task(const specification&, value_type, const geometry& lines);

}  // namespace tridia::line_operator
