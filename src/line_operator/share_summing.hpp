// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "layout/geometry.hpp"
#include "line_operator/sum_groups.hpp"

#include <bit>
#include <limits>

namespace tridia::line_operator {

inline constexpr index_t never_wraps = std::numeric_limits<index_t>::max();

/// Returns the sum of the values of `Team` neighbouring threads of a device, always added in one
/// order.
template <int Team, class V>
TRIDIA_FN V team_sum(V v) {
#if defined(__CUDA_ARCH__)
  if constexpr (Team > 1) {
    constexpr int words = static_cast<int>(sizeof(V) / sizeof(float));
    struct bits {
      float word[words];
    };
    const unsigned lane = threadIdx.x % 32, team = (1U << Team) - 1;
    TRIDIA_UNROLL
    for (int step = 1; step < Team; step *= 2) {
      auto other = std::bit_cast<bits>(v);
      for (float& w : other.word) w = __shfl_xor_sync(team << lane / Team * Team, w, step);
      v = v + std::bit_cast<V>(other);
    }
  }
#endif
  return v;
}

/// Computes shares of sums over lines: `Lanes` neighbouring lines a call, or `Team` calls a line.
/// Points from `points` on are those at the line's beginning once more.
template <class V, int Lanes, int Team>
struct share_summing {
  const V* in;
  layout::axes lines;
  layout::along along;
  index_t points;
  const sum_group* groups;
  int count;
  const V* weights;
  V* to;
  slot_order places;

  TRIDIA_FN const V* start(index_t line) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    return in + at[layout::rhs] + along.origin;
  }

  /// Adds every Team-th point from `member` on; `value(line of this call, element)` for all of
  /// them, of which `live` are there.
  template <int Sums, class Value>
  TRIDIA_FN void sum(const sum_group& g, index_t line, index_t live, int member,
                     Value value) const {
    // This many points are loaded at the same time, or as many as are left.
    constexpr int ahead = Lanes > 1 ? 1 : 8;
    V all[Sums][Lanes];
    TRIDIA_UNROLL
    for (int j = 0; j < Sums; ++j)
      for (int l = 0; l < Lanes; ++l) all[j][l] = V(0);
    const V* const w = weights + g.weights;
    const auto load = [&](index_t k, V(&v)[Lanes]) {
      const index_t at = g.first + k, point = at < points ? at : at - points;
      for (int l = 0; l < Lanes; ++l) v[l] = value(l, point * along.step);
    };
    const auto add = [&](index_t k, const V(&v)[Lanes]) {
      TRIDIA_UNROLL
      for (int j = 0; j < Sums; ++j)
        for (int l = 0; l < Lanes; ++l) {
          all[j][l] = all[j][l] + v[l] * w[k * sum_group::most + j];
        }
    };
    for (index_t k = member; k < g.count; k += ahead * Team) {
      V some[ahead][Lanes];
      const int left = static_cast<int>((g.count - k + Team - 1) / Team);
      TRIDIA_UNROLL
      for (int a = 0; a < ahead; ++a) load(ahead == 1 || a < left ? k + a * Team : k, some[a]);
      TRIDIA_UNROLL
      for (int a = 0; a < ahead; ++a) {
        if (ahead == 1 || a < left) add(k + a * Team, some[a]);
      }
    }
    TRIDIA_UNROLL
    for (int j = 0; j < Sums; ++j)
      for (int l = 0; l < Lanes; ++l) {
        const V of_team = team_sum<Team>(all[j][l]);
        if (member == 0 && l < live) to[places.at(g.slot[j], line + l)] = of_team;
      }
  }
  template <class Value>
  TRIDIA_FN void sum_all(index_t begin, index_t end, index_t line, index_t live, int member,
                         Value value) const {
    static_assert(sum_group::most == 4);
    for (index_t k = begin; k < end; ++k) {
      const sum_group& g = groups[k];
      g.sums == 1   ? sum<1>(g, line, live, member, value)
      : g.sums == 2 ? sum<2>(g, line, live, member, value)
      : g.sums == 3 ? sum<3>(g, line, live, member, value)
                    : sum<4>(g, line, live, member, value);
    }
  }

  TRIDIA_FN void operator()(index_t i, index_t) const { sum_some(i, 0, count); }

  /// Computes what call `i` contributes to the groups from `begin` to before `end`.
  TRIDIA_FN void sum_some(index_t i, index_t begin, index_t end) const {
    const int member = static_cast<int>(i % Team);
    const index_t line = i / Team * Lanes;
    const index_t live = line + Lanes < lines.size ? Lanes : lines.size - line;
    const V* from[Lanes];
    bool beside = true;
    for (int l = 0; l < Lanes; ++l) {
      from[l] = l == 0 || l < live ? start(line + l) : from[l - 1];
      beside = beside && from[l] == from[0] + l;
    }
    if (beside) {
      sum_all(begin, end, line, live, member,
              [first = from[0]](int l, index_t at) { return first[at + l]; });
    } else {
      sum_all(begin, end, line, live, member, [&](int l, index_t at) { return from[l][at]; });
    }
  }
};

}  // namespace tridia::line_operator
