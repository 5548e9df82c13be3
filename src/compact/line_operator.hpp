// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/line_operator.hpp"

// What schemes become: the layer below solves with them.
namespace tridia::compact {

using solver::line_operator;
using solver::stencil;

}  // namespace tridia::compact
