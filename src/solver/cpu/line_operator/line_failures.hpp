// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_operation.hpp"
#include "solver/executor.hpp"
#include "solver/system.hpp"

#include <atomic>

namespace tridia::cpu {

/// Fills x of lines that have no finite solution with NaN, and enters their statuses.
template <class R>
class line_failures final : public line_operator::cpu::failure_report {
 public:
  line_failures(const layout::geometry& g, const solver::operands& o) : g_(g), o_(o) {}

  void enter(index_t line, index_t row, bool) const override {
    any_ = true;
    solver::fill_with_nan(g_, static_cast<R*>(o_.x), 0, line);
    if (o_.status == nullptr) return;
    index_t at[layout::array_count];
    g_.line_offsets(0, line, at);
    layout::merge_status(o_.status + at[layout::status], 0, -(row + 1));
  }

  /// Fills the other right-hand sides of systems that have failed, once all lines are done.
  void share() const {
    if (!any_ || !layout::shares_status(g_)) return;
    for (index_t s = 0; s < layout::systems_of_matrix(g_); ++s) {
      solver::share_nan(g_, static_cast<R*>(o_.x), 0, s);
    }
  }

 private:
  const layout::geometry& g_;
  const solver::operands& o_;
  mutable std::atomic<bool> any_ = false;
};

}  // namespace tridia::cpu
