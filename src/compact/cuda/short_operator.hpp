// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"

namespace tridia::compact {

/// Makes an executor of an operator, or an adjoint, on lines of a few points; null where lines are
/// longer, or have rows that are prescribed. Throws as `make_cuda`.
std::unique_ptr<const operator_executor> make_short_operator(const task&);

}  // namespace tridia::compact
