// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/kernels.hpp"

namespace tridia::cpu {

/// Solves batches of groups one after another, each beside the one before it where they are side by
/// side. Single systems between them do not part the batches: they have memory of their own.
class pipelined_sweeps {
 public:
  pipelined_sweeps(void* memory, void* memory_of_singles, bool side_by_side)
      : memory_(memory), memory_of_singles_(memory_of_singles), side_by_side_(side_by_side) {}

  /// Returns the batch to fill next; then it is run.
  group_batch& next() { return batches_[turn_]; }
  void run(const kernels& k) {
    if (!side_by_side_) return k.solve(next(), memory_);
    if (k.sweep == nullptr) return k.solve(next(), memory_of_singles_);
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

  void *memory_, *memory_of_singles_;
  bool side_by_side_;
  const kernels* pending_ = nullptr;  // of the batch before, if its backward sweep is left
  int turn_ = 0;
  group_batch batches_[2];
};

}  // namespace tridia::cpu
