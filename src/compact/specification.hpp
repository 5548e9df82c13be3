// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/specification.hpp"

// What schemes become: the layer below solves with them.
namespace tridia::compact {

using line_operator::specification;
using line_operator::stencil;

}  // namespace tridia::compact
