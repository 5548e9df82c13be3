// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"

#include <algorithm>

namespace tridia::cuda {

/// How clusters share out the tiles of a batch. Each takes `each` of them, `wave` apart, which is
/// how many clusters the device holds: so a tile is brought in while the one before it is solved,
/// and neighbours stay near each other in time.
struct tile_turns {
  int tiles;
  int wave = 1, each = 1;

  [[nodiscard]] int clusters() const {
    return tiles / (wave * each) * wave + std::min(tiles % (wave * each), wave);
  }
  /// If there are enough tiles for that.
  void take(int most, int clusters_at_a_time) {
    if (clusters_at_a_time < 1 || tiles / clusters_at_a_time < most) return;
    wave = clusters_at_a_time;
    each = most;
  }
};

/// The tiles of a cluster: one, unless it `Stays`.
template <bool Stays>
class walk {
 public:
  TRIDIA_FN walk(const tile_turns& t, unsigned cluster) : wave_(t.wave), number_(cluster) {
    if (!Stays || t.each == 1) return;
    const auto wave = static_cast<unsigned>(t.wave);
    number_ += cluster / wave * wave * static_cast<unsigned>(t.each - 1);
    const int to_go = (t.tiles - static_cast<int>(number_) - 1) / t.wave + 1;
    left_ = to_go < t.each ? to_go : t.each;
  }
  [[nodiscard]] TRIDIA_FN unsigned number() const { return number_; }
  /// Whether another tile follows, and its number.
  [[nodiscard]] TRIDIA_FN bool goes_on() const { return Stays && left_ > 1; }
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

}  // namespace tridia::cuda
