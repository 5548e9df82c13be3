// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/peer/round_counts.hpp"
#include "layout/geometry.hpp"
#include "line_operator/sum_groups.hpp"

namespace tridia::distributed {

/// Holds where the numbers of a slot are, a line beside the next.
template <class V>
struct share_slot {
  V* at;
  index_t jump;  // to the second place, if there are two: see direct_way
  bool arrives;  // by a direct way
};

/// Returns the place of a slot that a round uses.
template <class V>
TRIDIA_FN V* place_of(const share_slot<V>& s, unsigned long long round) {
  return s.at + (round & 1) * s.jump;
}

/// Describes the shares of sums that a rank computes from its points.
template <class V>
struct share_summing_task {
  const V* in;
  layout::axes lines;
  layout::along along;
  const line_operator::sum_group* groups;
  int count;
  const V* weights;
  index_t weight_count;
  const share_slot<V>* slots;
  int sent;  // the slots of shares, own ones and those that are sent, come first
  const gpu::round_counts* rounds;  // on a GPU
};

/// Describes sums of shares, which are added up one after another, in a fixed order.
template <class V>
struct share_adding_task {
  const share_slot<V>* terms;  // the slots of each sum, from first[sum] on
  const index_t* first;
  index_t sums, lines;
  V* values;                  // of each sum for all lines
  gpu::round_counts* rounds;  // on a GPU
  bool early;  // whether this may begin while shares are still computed, and then waits for them
};

}  // namespace tridia::distributed
