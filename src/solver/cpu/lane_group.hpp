// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/strided_lanes.hpp"
#include "solver/cpu/group_batch.hpp"

namespace tridia::cpu::TRIDIA_ISA {

template <class V>
using strided_lanes_of = strided_lanes<typename packing<V>::scalar, packing<V>::parts,
                                       packing<V>::count, packing<V>::width>;

/// Holds one group of a batch: its arrays, by layout::array, and how many of its lanes
/// are live.
template <class V>
struct lane_group {
  strided_lanes_of<V> in[4], x;
  const index_t* first;
  int live;

  lane_group() = default;
  lane_group(const group_batch& batch, int number) {
    using R = typename packing<V>::scalar;
    const int from = number * packing<V>::count;
    first = batch.first + from;
    live = batch.live - from < packing<V>::count ? batch.live - from : packing<V>::count;
    const bool evenly = batch.evenly && packing<V>::count > 1 && live == packing<V>::count;
    for (int a = 0; a <= layout::x; ++a) {
      const void* base = a < layout::x ? batch.in[a] : batch.x;
      strided_lanes_of<V>& lanes = a < layout::x ? in[a] : x;
      if (base == nullptr) {
        lanes = {};
        continue;
      }
      const layout::along& l = batch.g->lines[a];
      const R* const origin = static_cast<const R*>(base) + l.origin * packing<V>::parts;
      const index_t* const line = batch.line[a] + from;
      lanes = evenly ? strided_lanes_of<V>(origin, line, l.step, batch.apart[a])
                     : strided_lanes_of<V>(origin, line, l.step);
    }
  }
};

/// Reads one of the ends of a group's right-hand sides into a row of lanes.
template <class V>
void load_ends(const group_batch& batch, const lane_group<V>& g, const void* from,
               typename packing<V>::scalar* row) {
  using R = typename packing<V>::scalar;
  constexpr int parts = packing<V>::parts;
  const index_t first = g.first - batch.first;
  for (int l = 0; l < packing<V>::count; ++l) {
    const index_t system = first + (l < g.live ? l : 0);
    const R* const value =
        static_cast<const R*>(from) + (batch.ends_at + system * batch.ends_pitch) * parts;
    for (int c = 0; c < parts; ++c) row[c * packing<V>::count + l] = value[c];
  }
}

}  // namespace tridia::cpu::TRIDIA_ISA
