// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/system.hpp"

// What couples the segments of a system to each other, and to rows elsewhere.
namespace tridia::cuda::segments {

using layout::geometry;
using solver::typed_operands;

/// Holds what couples the rows here to rows elsewhere; whole systems have no such rows.
template <class V>
struct outside {
  bool open = false;                   // the systems are parts of others
  bool before = false, after = false;  // whether there are rows on either side
  const V* entries_before = nullptr;   // by system; null: where the rows have them
  const V* entries_after = nullptr;
  index_t* found = nullptr;  // by system; see local_status.hpp

  /// Loads the two entries that a geometry without corners has left out.
  template <class Segment>
  __device__ __forceinline__ void mend(const Segment& t, const geometry& g,
                                       const typed_operands<V>& o, int system) const {
    const auto entry = [&](const V* entries, int a, index_t k) {
      return entries != nullptr ? entries[t.number(system)] : o.in[a][t.offset(a, system, k)];
    };
    if (before && t.first_row() == 0) {
      t.first_sub(system) = entry(entries_before, layout::sub, 0);
    }
    if (after && t.first_row() + t.rows() == g.rows) {
      t.last_sup(system) = entry(entries_after, layout::sup, g.rows - 1);
    }
  }
};

/// Holds the entries that couple a system's segment to its neighbours, or that lie at the other end
/// of the array: in the last pass others may have overwritten them where x is in their place.
template <class V>
struct edge_entries {
  V sub, sup;
  template <class Segment>
  __device__ __forceinline__ void take(const Segment& t, int system) {
    sub = t.first_sub(system), sup = t.last_sup(system);
  }
  template <class Segment>
  __device__ __forceinline__ void put(const Segment& t, int system) const {
    t.first_sub(system) = sub, t.last_sup(system) = sup;
  }
};

}  // namespace tridia::cuda::segments
