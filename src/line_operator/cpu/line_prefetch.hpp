// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"
#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/operator_tables.hpp"

#include <algorithm>

namespace tridia::line_operator::cpu::TRIDIA_ISA {

/// Prefetches the memory of a group of lines a little at a time beside the sweeps along them: what
/// lies further on in the direction of the sweep and, beyond the end of the lines, in the next
/// group. A core waits for the last cache as it does for memory: fields that fit in it take a third
/// less time so.
template <class R, int Lanes>
class line_prefetch {
 public:
  /// Says how one of the arrays is used.
  struct use {
    bool in_rows;   // a row of all lanes is one piece of memory,
    bool in_place;  // and worked on there
  };

  line_prefetch(const tables<R>& t, const line_group& s, use in, use out)
      : s_(s), points_(t.points), results_(t.results), in_(in), out_(out) {}

  /// Prefetches beside rows k0 to k1 - 1 of the forward sweep of some lanes.
  TRIDIA_FN void forward(int lane, index_t k0, index_t k1) const {
    if (!s_.far || s_.in_step == 1 || !in_.in_rows) return;
    const index_t away = in_.in_place ? s_.ahead : s_.chunk;
    const R* const in = static_cast<const R*>(s_.in) + s_.in_at[0] + lane;
    for (index_t k = k0 + away; k < k1 + away; ++k) {
      const index_t at = element(k, points_, s_.in_step, s_.to_next_in);
      if (at == nowhere) return;
      for (int l = 0; l < Lanes; l += per_line) __builtin_prefetch(in + at + l, 0, 2);
    }
  }
  /// Does the same for rows k0 to k1 - 1 of the backward sweep.
  TRIDIA_FN void backward(int lane, index_t k0, index_t k1) const {
    if (!s_.far || s_.nontemporal || s_.out_step == 1 || !out_.in_rows) return;
    const index_t away = s_.ahead;
    R* const out = static_cast<R*>(s_.out) + s_.out_at[0] + lane;
    for (index_t k = k1 - 1 - away; k >= k0 - away; --k) {
      const index_t at = element(k, results_, s_.out_step, s_.to_next_out);
      if (at == nowhere) return;
      for (int l = 0; l < Lanes; l += per_line) __builtin_prefetch(out + at + l, 1, 3);
    }
  }

  /// Prefetches beside the load of `Count` contiguous lines from point k on, a cache line of each.
  template <int Count>
  TRIDIA_FN void values_beside(int lane, index_t k) const {
    if (!s_.far || k % per_line >= Count) return;
    const index_t at = element(k + s_.ahead_in_lines, points_, 1, s_.to_next_in);
    if (at == nowhere) return;
    const R* const in = static_cast<const R*>(s_.in) + at;
    const int to = std::min(lane + Count, s_.live);
    for (int l = lane; l < to; ++l) __builtin_prefetch(in + s_.in_at[l], 0, 2);
  }
  /// Does the same beside the store of contiguous lines.
  template <int Count>
  TRIDIA_FN void results_beside(int lane, index_t k) const {
    if (!s_.far || s_.nontemporal || k % per_line >= Count) return;
    const index_t at = element(k - s_.ahead_in_lines, results_, 1, s_.to_next_out);
    if (at == nowhere) return;
    R* const out = static_cast<R*>(s_.out) + at;
    const int to = std::min(lane + Count, s_.live);
    for (int l = lane; l < to; ++l) __builtin_prefetch(out + s_.out_at[l], 1, 3);
  }

 private:
  static constexpr int per_line = 64 / static_cast<int>(sizeof(R));
  static constexpr index_t nowhere = std::numeric_limits<index_t>::min();

  /// Returns where row k of a line lies, relative to its row 0; one beyond the end of a sweep is
  /// one of the next group's lines.
  TRIDIA_FN index_t element(index_t k, index_t rows, index_t step, index_t to_next) const {
    if (k >= 0 && k < rows) return k * step;
    k += k < 0 ? rows : -rows;
    return s_.has_next && k >= 0 && k < rows ? to_next + k * step : nowhere;
  }

  const line_group& s_;
  index_t points_, results_;
  use in_, out_;
};

}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
