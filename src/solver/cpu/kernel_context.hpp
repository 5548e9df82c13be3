// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "solver/cpu/lane_group.hpp"
#include "solver/cpu/lane_status.hpp"

#include <limits>
#include <memory>

namespace tridia::cpu::TRIDIA_ISA {

/// Holds a batch, its groups, and the access to the group that is solved.
template <class V, class E, class Access>
struct kernel_context : Access {
  const group_batch& batch;
  const core::blocks cut;
  lane_group<V> groups[max_groups];
  using Access::a, Access::b, Access::x;

  kernel_context(const group_batch& given, const core::blocks& blocks)
      : Access(given, groups[0]), batch(given), cut(blocks) {
    for (int i = 0; i < batch.groups; ++i) std::construct_at(&groups[i], batch, i);
  }
  void use(int number) { Access::use(groups[number]); }

  /// Finds the reasons of failures. This is rare and long, so it is not inlined.
  template <class Rhs>
  __attribute__((noinline)) void explain(Rhs& rhs, const core::mask_t<V>& open,
                                         lane_status& found) {
    core::diagnose_line<V, E>(batch.rows, cut, a, rhs, open,
                              [&](int lane, index_t status) { found.enter(lane, status); });
  }
  void failed(const core::mask_t<V>& mask, bool before, lane_status& found) {
    core::zero_rhs<V> zero;
    found.enter_unknown(mask);
    if (before) {
      explain(b, mask, found);
    } else {
      explain(zero, mask, found);
    }
  }
  /// Enters the statuses of all live lanes, or of those that failed.
  void enter_statuses(int number, const lane_status& found, bool all) const {
    if (batch.status == nullptr) return;
    const index_t* at = batch.line[layout::status] + number * packing<V>::count;
    for (int l = 0; l < groups[number].live; ++l) {
      if (all || found[l] != 0) batch.status[at[l]] = found[l];
    }
  }
  /// Fills x of live lanes that failed with NaN, once x of the group has been written.
  void fill_with_nan(int number, const lane_status& found) const {
    if (found.any()) fill_failed(groups[number], found);
  }

 private:
  __attribute__((noinline)) void fill_failed(const lane_group<V>& g,
                                             const lane_status& found) const {
    constexpr auto nan = std::numeric_limits<typename packing<V>::scalar>::quiet_NaN();
    for (int l = 0; l < g.live; ++l) {
      if (found[l] != 0) g.x.fill(nan, l, g.first[l], batch.rows);
    }
  }
};

}  // namespace tridia::cpu::TRIDIA_ISA
