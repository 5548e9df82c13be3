// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::cpu {

/// Holds consecutive systems that are solved in groups of as many as kernels have lanes; or one,
/// which kernels of a single lane solve.
struct system_range {
  index_t first;
  int count;
  bool single;
};

/// Returns the fewest systems that pay for all the lanes that they occupy.
constexpr int fewest(int lanes) { return lanes / 4 + 1; }

/// Cuts `size` systems of one length into ranges of `groups` groups of `lanes` systems. The systems
/// that are left over are a group too, or, if they are few, single ones.
struct group_split {
  index_t size;
  int lanes, groups;

  [[nodiscard]] index_t full_groups() const { return size / lanes; }
  [[nodiscard]] bool has_groups() const { return size >= fewest(lanes); }
  [[nodiscard]] index_t count() const { return wide_ranges() + size - grouped_systems(); }
  [[nodiscard]] system_range at(index_t i) const {
    const index_t grouped = grouped_systems(), range = range_systems();
    if (i >= wide_ranges()) return {grouped + (i - wide_ranges()), 1, true};
    const index_t first = i * range, left = grouped - first;
    return {first, static_cast<int>(left < range ? left : range), false};
  }

 private:
  [[nodiscard]] index_t range_systems() const { return static_cast<index_t>(lanes) * groups; }
  [[nodiscard]] index_t grouped_systems() const {
    return size % lanes >= fewest(lanes) ? size : full_groups() * lanes;
  }
  [[nodiscard]] index_t wide_ranges() const {
    return (grouped_systems() + range_systems() - 1) / range_systems();
  }
};

/// Cuts pieces of a batch, `apart` systems from one to the next, all alike into two sections at
/// most. A section is cut by a group_split of its own.
class section_split {
 public:
  section_split(int lanes, int groups, index_t pieces, index_t apart)
      : lanes_(lanes), groups_(groups), pieces_(pieces), apart_(apart) {}

  /// Adds a section: the systems of a piece from the last section's end up to `end`.
  void add(index_t end) {
    if (end <= end_) return;
    sections_[used_] = {{end - end_, lanes_, groups_}, end_, in_piece_};
    in_piece_ += sections_[used_++].systems.count();
    end_ = end;
  }
  [[nodiscard]] index_t count() const { return pieces_ * in_piece_; }
  [[nodiscard]] system_range at(index_t i) const {
    const index_t piece = i / in_piece_, k = i - piece * in_piece_;
    const section& s = sections_[used_ > 1 && k >= sections_[1].ranges_before ? 1 : 0];
    system_range range = s.systems.at(k - s.ranges_before);
    range.first += piece * apart_ + s.first;
    return range;
  }

 private:
  struct section {
    group_split systems;
    index_t first, ranges_before;
  };

  int lanes_, groups_, used_ = 0;
  index_t pieces_, apart_;
  index_t end_ = 0, in_piece_ = 0;
  section sections_[2];
};

}  // namespace tridia::cpu
