// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/specification.hpp"
#include "tridia/compact.hpp"

namespace tridia::compact {

/// What a scheme does along the lines of a grid: `points` is its extent there. The closure is used
/// where an end asks for it. Throws `error` (invalid_argument) where they do not go together.
line_operator::specification assemble(const scheme& s, const closure& c, const grid& g,
                                      index_t points);

}  // namespace tridia::compact
