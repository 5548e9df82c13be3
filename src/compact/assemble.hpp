// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/specification.hpp"
#include "tridia/compact.hpp"

namespace tridia::compact {

/// Returns the line operator of a scheme on a grid with `points` points per line. The closure is
/// used where an end asks for it. Throws `error` (invalid_argument) if they do not fit together.
line_operator::specification assemble(const scheme& s, const closure& c, const grid& g,
                                      index_t points);

}  // namespace tridia::compact
