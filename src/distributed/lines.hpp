// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"

namespace tridia::distributed {

/// The order in which the lines of a block are numbered, as one number: which of the axes across
/// the lines goes slower than which. The block's own wish is the order in memory of x.
index_t wished_order(const layout::resolved&);

/// A problem's geometry whose `matrices` are all lines of all right-hand sides, numbered in an
/// order that all ranks of a line have, whatever the strides of each. Throws `unsupported` for too
/// many axes.
layout::geometry number_lines(layout::geometry, const layout::resolved&, operation, index_t order);

}  // namespace tridia::distributed
