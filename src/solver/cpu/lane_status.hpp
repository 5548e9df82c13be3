// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_batch.hpp"

namespace tridia::cpu::TRIDIA_ISA {

/// Holds the statuses of the lanes of a group: why systems failed, rows counted from where each
/// system begins.
class lane_status {
 public:
  explicit lane_status(const index_t* first = nullptr) : first_(first) {}
  void enter(int lane, index_t status) {
    status_[lane] = status > 0 ? status - first_[lane] : status + first_[lane];
    any_ = true;
  }
  /// Enters the status of lanes that failed for a reason not found yet.
  template <class Mask>
  void enter_unknown(const Mask& failed) {
    for_each_set(failed, [&](int lane) { enter_unknown(lane); });
  }
  void enter_unknown(int lane) { status_[lane] = -1, any_ = true; }
  index_t operator[](int lane) const { return status_[lane]; }
  /// Returns whether any lane failed.
  bool any() const { return any_; }

 private:
  bool any_ = false;
  const index_t* first_;
  index_t status_[max_lanes] = {};
};

}  // namespace tridia::cpu::TRIDIA_ISA
