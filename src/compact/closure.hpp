// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/scheme.hpp"

namespace tridia::compact {

/// Returns the number of rows at the start of a line where the interior row does not fit.
int rows_needed(const compact_row& interior);

/// Returns whether scheme and closure are the library's own, as their names say.
bool is_known(const scheme& s, const closure& c);

}  // namespace tridia::compact
