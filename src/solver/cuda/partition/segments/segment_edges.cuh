// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/system.hpp"

// What couples the segments of a system to each other, and to rows elsewhere.
namespace tridia::cuda::segments {

/// Holds what couples the rows here to rows elsewhere; whole systems have no such rows.
template <class V>
struct outside {
  bool open = false;                   // the systems are parts of others
  bool before = false, after = false;  // whether there are rows on either side
  const V* entries_before = nullptr;   // by system; null: where the rows have them
  const V* entries_after = nullptr;

  /// Loads the two entries that a geometry without corners has left out.
  template <class Segment, class Geometry, class Operands>
  __device__ __forceinline__ void mend(const Segment& t, const Geometry& g, const Operands& o,
                                       int system) const {
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

/// Holds the rows of a chunk whose x is known; the first one is `first` in its system.
template <class View>
struct chunk_rows_of {
  View rows;
  int n;
  index_t first;

  /// Returns the row of the system from which on, upwards, x of a right-hand side is not finite.
  __device__ __forceinline__ index_t first_overflow(int side) const {
    int k = n - 1;
    while (k > 0 && is_finite(k, side)) --k;
    return first + k;
  }
  __device__ __forceinline__ bool is_finite(int k, int side) const {
    return core::is_finite(rows.right_of(k, side));
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
