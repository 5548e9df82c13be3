// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"

namespace tridia::distributed {

/// Returns the order in which a block prefers to number its lines, which is the order of x in
/// memory. The order is one number; it says which of the axes across the lines vary slower.
index_t wished_order(const layout::resolved&);

/// Returns a problem's geometry whose `matrices` are all lines of all right-hand sides, numbered in
/// an order that all ranks of a line have, whatever the strides of each. Throws `unsupported` for
/// too many axes.
layout::geometry number_lines(layout::geometry, const layout::resolved&, operation, index_t order);

}  // namespace tridia::distributed
