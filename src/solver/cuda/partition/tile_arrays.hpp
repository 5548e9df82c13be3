// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "solver/system.hpp"

// Which arrays a tile brings in and takes out.
namespace tridia::cuda {

/// The arrays of a solve. Tiles (`tile`, `piece`, `interleaved_tile`) are templates on such a
/// class: of its geometry they take the numbers of inputs and outputs; the inputs are `sub`,
/// `diag`, `sup` and any more; output j leaves from the place that input `place(j)` had in the
/// tile. A kernel that reads and writes other arrays brings a class of its own.
template <class V>
struct solve_arrays {
  using geometry = layout::geometry;
  using operands = solver::typed_operands<V>;

  static TRIDIA_FN V* output(const operands& o, int) { return o.x; }
  static TRIDIA_FN constexpr int place(int) { return layout::rhs; }
};

}  // namespace tridia::cuda
