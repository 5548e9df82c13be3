// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/executor.hpp"
#include "layout/resolve.hpp"
#include "tridia/compact.hpp"

namespace tridia::compact {

/// The two arrays of a grid as real numbers: fields first, then the axes, then the parts of a
/// complex number.
struct grid_arrays {
  problem shape;  // for the checks that plans make
  layout::resolved resolved;

  [[nodiscard]] bool empty() const { return resolved.out.empty(); }
  /// Throws for pointers that cannot be these arrays.
  void check(const executor&, const void* in, const void* out) const;
};

/// Throws `error` for what is no grid, whatever the scheme.
void check_grid(const grid&, const options&);
/// Its axis, counted from the first one.
std::size_t checked_axis(const grid&);

/// `rows` is the extent of the array that is written along the axis. Throws `error`.
grid_arrays arrays_of(const grid&, std::size_t axis, index_t rows);

bool needs_closure(const grid&);
/// Of a scheme that need not have one, if no end asks for it.
closure usual_closure(const scheme&, const grid&);

}  // namespace tridia::compact
