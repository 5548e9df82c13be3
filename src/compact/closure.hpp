// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/scheme.hpp"

namespace tridia::compact {

/// Rows at the start of a line that an interior row does not fit into.
int rows_needed(const compact_row& interior);

/// Whether scheme and closure are the library's own, as their names say.
bool is_known(const scheme& s, const closure& c);

}  // namespace tridia::compact
