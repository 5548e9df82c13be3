// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/fast_divide.hpp"

namespace tridia::gpu {

/// Says in which order the tiles of a batch are started whose matrices have several right-hand
/// sides. Tiles are numbered side by side: all of the first right-hand sides, then all of the
/// second ones. Those that read the same matrices start one after another, so that all but the
/// first of them find these in the L2. Tiles that stay together, because they share lines of the
/// cache, are a unit.
class tile_order {
 public:
  constexpr tile_order() = default;
  /// `in_unit` is a power of two.
  constexpr tile_order(int tiles, int sides, int in_unit)
      : sides_(sides), units_of_side_(tiles / in_unit / sides), by_sides_(sides) {
    while (1 << log_in_unit_ < in_unit) ++log_in_unit_;
  }
  /// Returns the number of the tile that is started as the one of number `start`; every tile is
  /// started once.
  TRIDIA_FN int tile(int start) const {
    if (sides_ == 1) return start;
    const int unit = start >> log_in_unit_, in_unit = start - (unit << log_in_unit_);
    const int in_side = by_sides_.quotient(unit), side = unit - in_side * sides_;
    if (in_side >= units_of_side_) return start;  // of what is left where sides are no whole units
    return ((side * units_of_side_ + in_side) << log_in_unit_) + in_unit;
  }

 private:
  int sides_ = 1, units_of_side_ = 0, log_in_unit_ = 0;
  fast_divide by_sides_;
};

}  // namespace tridia::gpu
