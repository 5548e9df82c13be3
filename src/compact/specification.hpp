// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/specification.hpp"

// Schemes become line operators of this type, which the layer below solves with.
namespace tridia::compact {

using line_operator::specification;
using line_operator::stencil;

}  // namespace tridia::compact
