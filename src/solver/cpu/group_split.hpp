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
  /// Returns about how long the ranges before range i take: a group four times as long as a single
  /// system, as most of its time goes into memory, and that of one into waiting.
  [[nodiscard]] index_t cost_before(index_t i) const {
    constexpr index_t of_group = 4;
    const index_t wide = wide_ranges(), all = (grouped_systems() + lanes - 1) / lanes;
    return i < wide ? i * groups * of_group : all * of_group + (i - wide);
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
    const section& s =
        sections_[used_++] = {{end - end_, lanes_, groups_}, end_, in_piece_, cost_of_piece_};
    in_piece_ += s.systems.count();
    cost_of_piece_ += s.systems.cost_before(s.systems.count());
    end_ = end;
  }
  [[nodiscard]] index_t count() const { return pieces_ * in_piece_; }
  /// Returns the number of the first range of a share, where each of `shares` takes about as long:
  /// that which begins nearest to where the share would. That of share number `shares` would be
  /// `count()`.
  [[nodiscard]] index_t first_of(index_t share, index_t shares) const {
    index_t from = 0, to = count();
    const index_t begin = cost_before(to) * share / shares;
    while (from < to && share < shares) {
      const index_t middle = from + (to - from) / 2;
      if (cost_before(middle) + cost_before(middle + 1) >= 2 * begin) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return to;
  }
  [[nodiscard]] system_range at(index_t i) const {
    const index_t piece = i / in_piece_, k = i - piece * in_piece_;
    const section& s = section_of(k);
    system_range range = s.systems.at(k - s.ranges_before);
    range.first += piece * apart_ + s.first;
    return range;
  }

 private:
  struct section {
    group_split systems;
    index_t first, ranges_before, cost_before;
  };

  const section& section_of(index_t range) const {
    return sections_[used_ > 1 && range >= sections_[1].ranges_before ? 1 : 0];
  }
  index_t cost_before(index_t i) const {
    const index_t piece = i / in_piece_, k = i - piece * in_piece_;
    const section& s = section_of(k);
    return piece * cost_of_piece_ + s.cost_before + s.systems.cost_before(k - s.ranges_before);
  }

  int lanes_, groups_, used_ = 0;
  index_t pieces_, apart_;
  index_t end_ = 0, in_piece_ = 0, cost_of_piece_ = 0;
  section sections_[2];
};

}  // namespace tridia::cpu
