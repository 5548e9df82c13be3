// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_batch.hpp"

#include <algorithm>

namespace tridia::cpu::TRIDIA_ISA {

/// Holds the statuses of the lanes of a group: why systems failed, rows counted from where each
/// system begins.
class lane_status {
 public:
  explicit lane_status(const index_t* first = nullptr) : first_(first) {}
  void enter(int lane, index_t status) {
    of(lane) = status > 0 ? status - first_[lane] : status + first_[lane];
  }
  /// Enters the status of lanes that failed for a reason not found yet.
  template <class Mask>
  void enter_unknown(const Mask& failed) {
    for_each_set(failed, [&](int lane) { enter_unknown(lane); });
  }
  void enter_unknown(int lane) { of(lane) = -1; }
  index_t operator[](int lane) const { return any_ ? status_[lane] : 0; }
  /// Returns whether any lane failed.
  bool any() const { return any_; }

 private:
  /// Returns the status of a lane that fails. All are cleared with the first one: a group of short
  /// lines, which rarely fails, is solved in the time that it would take.
  index_t& of(int lane) {
    if (!any_) std::fill_n(status_, max_lanes, 0);
    any_ = true;
    return status_[lane];
  }

  bool any_ = false;
  const index_t* first_;
  index_t status_[max_lanes];
};

}  // namespace tridia::cpu::TRIDIA_ISA
