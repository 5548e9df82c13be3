// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/kernels.hpp"

namespace tridia::cpu {

/// Solves batches of groups one after another, each beside the one before it where they are side by
/// side.
class pipelined_sweeps {
 public:
  pipelined_sweeps(void* memory, bool side_by_side)
      : memory_(memory), side_by_side_(side_by_side) {}

  /// Returns the batch to fill next; then it is run.
  group_batch& next() { return batches_[turn_]; }
  void run(const kernels& k) {
    if (!side_by_side_ || k.sweep == nullptr) {
      finish();
      k.solve(next(), memory_);
      return;
    }
    next().reversed = turn_ == 1;
    k.sweep(&next(), pending(), memory_);
    pending_ = &k;
    turn_ = 1 - turn_;
  }
  void finish() {
    if (pending_ != nullptr) pending_->sweep(nullptr, pending(), memory_);
    pending_ = nullptr;
  }

 private:
  const group_batch* pending() const {
    return pending_ != nullptr ? &batches_[1 - turn_] : nullptr;
  }

  void* memory_;
  bool side_by_side_;
  const kernels* pending_ = nullptr;  // of the batch before, if its backward sweep is left
  int turn_ = 0;
  group_batch batches_[2];
};

}  // namespace tridia::cpu
