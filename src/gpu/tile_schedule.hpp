// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/fast_divide.hpp"

#include <algorithm>

namespace tridia::gpu {

/// Distributes the tiles of a batch to persistent clusters. Each takes `per_cluster` of them,
/// `wave` apart, which is how many clusters the device holds: so a tile is loaded while the one
/// before it is solved, and neighbouring tiles are solved at about the same time.
struct tile_schedule {
  int tiles;
  int wave = 1, per_cluster = 1;

  [[nodiscard]] int clusters() const {
    return tiles / (wave * per_cluster) * wave + std::min(tiles % (wave * per_cluster), wave);
  }
  /// Gives each cluster `most` tiles, if there are enough tiles for that.
  void take(int most, int clusters_at_a_time) {
    if (clusters_at_a_time < 1 || tiles / clusters_at_a_time < most) return;
    wave = clusters_at_a_time;
    per_cluster = most;
  }
};

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

/// Iterates over the tiles of a cluster: one, unless it is `Persistent`.
template <bool Persistent>
class tile_iterator {
 public:
  TRIDIA_FN tile_iterator(const tile_schedule& t, unsigned cluster)
      : wave_(t.wave), number_(cluster) {
    if (!Persistent || t.per_cluster == 1) return;
    const auto wave = static_cast<unsigned>(t.wave);
    number_ += cluster / wave * wave * static_cast<unsigned>(t.per_cluster - 1);
    const int to_go = (t.tiles - static_cast<int>(number_) - 1) / t.wave + 1;
    left_ = to_go < t.per_cluster ? to_go : t.per_cluster;
  }
  [[nodiscard]] TRIDIA_FN unsigned number() const { return number_; }
  /// Returns whether another tile follows; `next` returns its number.
  [[nodiscard]] TRIDIA_FN bool has_next() const { return Persistent && left_ > 1; }
  [[nodiscard]] TRIDIA_FN unsigned next() const { return number_ + static_cast<unsigned>(wave_); }
  TRIDIA_FN void advance() {
    number_ = next();
    --left_;
  }

 private:
  int wave_;
  unsigned number_;
  int left_ = 1;  // tiles, with this one
};

}  // namespace tridia::gpu
