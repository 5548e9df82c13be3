// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::cpu {

/// Consecutive systems that are solved in lockstep, or one alone.
struct run {
  index_t first;
  int count;
  bool single;
};

/// Fewer systems than this many do not pay for all the lanes that they would occupy.
constexpr int fewest(int lanes) { return lanes / 4 + 1; }

/// `size` systems of one length cut into full vectors and a rest, which is a vector too, or, if it
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

/// The runs of a split cut into strips: `groups` full runs each, then the rest one by one.
class strip_split {
 public:
  struct range {
    index_t first;
    int count;
  };

  strip_split(const split& s, int groups)
      : groups_(groups), full_(s.full()), rest_(s.runs() - s.full()) {}

  [[nodiscard]] index_t count() const { return full_strips() + rest_; }
  [[nodiscard]] range at(index_t i) const {
    if (i >= full_strips()) return {full_ + (i - full_strips()), 1};
    const index_t first = i * groups_;
    return {first, static_cast<int>(full_ - first < groups_ ? full_ - first : groups_)};
  }

 private:
  [[nodiscard]] index_t full_strips() const { return (full_ + groups_ - 1) / groups_; }

  int groups_;
  index_t full_, rest_;
};

}  // namespace tridia::cpu
