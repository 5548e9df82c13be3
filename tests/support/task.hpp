// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "solver/executor.hpp"

namespace tridia_test {

/// Returns a problem as a backend gets it, for tests of the backends' plans.
inline tridia::solver::task task_of(const tridia::problem& p) {
  const tridia::layout::resolved shapes = tridia::layout::resolve(p);
  return {p.type,
          p.pivoting,
          p.boundary,
          p.coefficients,
          tridia::layout::make_geometry(p, shapes),
          p.offsets,
          shapes.off_diagonal,
          {},
          {},
          shapes.row_starts};
}

}  // namespace tridia_test
