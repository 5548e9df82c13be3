// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::cpu {

/// A run is consecutive systems that are solved in lockstep, or one alone.
struct run {
  index_t first;
  int count;
  bool single;
};

/// Returns the fewest systems that pay for all the lanes that they occupy.
constexpr int fewest(int lanes) { return lanes / 4 + 1; }

/// Cuts `size` systems of one length into full vectors and a rest, which is a vector too, or, if it
/// is short, single systems.
struct split {
  index_t size;
  int lanes;

  [[nodiscard]] index_t full() const { return size / lanes; }
  [[nodiscard]] int rest() const { return static_cast<int>(size % lanes); }
  [[nodiscard]] index_t runs() const { return full() + (rest() >= fewest(lanes) ? 1 : rest()); }
  [[nodiscard]] run at(index_t i) const {
    if (i < full()) return {i * lanes, lanes, false};
    if (rest() >= fewest(lanes)) return {full() * lanes, rest(), false};
    return {full() * lanes + (i - full()), 1, true};
  }
  [[nodiscard]] bool has_wide() const { return size >= fewest(lanes); }
};

/// Cuts the runs of a split into strips: `groups` vectors each, then single systems one by one.
class strip_split {
 public:
  struct range {
    index_t first;
    int count;
  };

  strip_split(const split& s, int groups)
      : groups_(groups),
        wide_(s.full() + (s.rest() >= fewest(s.lanes) ? 1 : 0)),
        single_(s.runs() - wide_) {}

  [[nodiscard]] index_t count() const { return wide_strips() + single_; }
  [[nodiscard]] range at(index_t i) const {
    if (i >= wide_strips()) return {wide_ + (i - wide_strips()), 1};
    const index_t first = i * groups_;
    return {first, static_cast<int>(wide_ - first < groups_ ? wide_ - first : groups_)};
  }

 private:
  [[nodiscard]] index_t wide_strips() const { return (wide_ + groups_ - 1) / groups_; }

  int groups_;
  index_t wide_, single_;
};

/// Holds pieces of a batch, `apart` systems from one to the next, all cut alike into two sections
/// at most. A section is a split of its own, cut into strips.
class strip_sections {
 public:
  struct range {
    split systems;
    index_t offset;  // the first of these systems
    strip_split::range runs;
  };

  strip_sections(int lanes, int groups, index_t pieces, index_t apart)
      : lanes_(lanes), groups_(groups), pieces_(pieces), apart_(apart) {}

  /// Adds a section: the systems of a piece from the last section's end up to `end`.
  void add(index_t end) {
    if (end <= end_) return;
    sections_[used_++] = {{end - end_, lanes_}, end_, in_piece_};
    end_ = end;
    in_piece_ += strips_of(used_ - 1).count();
  }
  [[nodiscard]] index_t count() const { return pieces_ * in_piece_; }
  [[nodiscard]] range at(index_t i) const {
    const index_t piece = i / in_piece_, strip = i - piece * in_piece_;
    int k = used_ - 1;
    while (strip < sections_[k].strips_before) --k;
    const section& s = sections_[k];
    return {s.systems, piece * apart_ + s.offset, strips_of(k).at(strip - s.strips_before)};
  }

 private:
  struct section {
    split systems;
    index_t offset, strips_before;
  };
  [[nodiscard]] strip_split strips_of(int k) const { return {sections_[k].systems, groups_}; }

  int lanes_, groups_, used_ = 0;
  index_t pieces_, apart_;
  index_t end_ = 0, in_piece_ = 0;
  section sections_[2];
};

}  // namespace tridia::cpu
