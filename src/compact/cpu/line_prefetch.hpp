// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/line_group.hpp"
#include "compact/cpu/operator_tables.hpp"
#include "cpu/lanes.hpp"

#include <algorithm>

namespace tridia::compact::cpu::TRIDIA_ISA {

/// Prefetches the memory of a group of lines beside the sweeps along them, `Lanes` lanes at a time.
template <class R, int Lanes>
class line_prefetch {
 public:
  /// Says how one of the arrays is used.
  struct use {
    bool in_rows;   // a row of all lanes is one piece of memory,
    bool in_place;  // and worked on there
  };

  line_prefetch(const tables<R>& t, const line_group& s, use in, use out)
      : t_(t), s_(s), in_(in), out_(out) {}

  /// Prefetches beside rows k0 to k1 - 1 of the forward sweep: values further on and, at the end of
  /// the line, the memory of the results that will come first.
  TRIDIA_FN void forward(int lane, index_t k0, index_t k1) const {
    if (!s_.far) return;
    const index_t a = k0 + distance(in_), b = a + (k1 - k0), n = t_.points;
    values(lane, a, b, 0);
    if (b > n) results(lane, t_.rows - (b - n), t_.rows - std::max<index_t>(a - n, 0));
  }
  /// Prefetches beside rows k0 to k1 - 1 of the backward sweep: the memory of further results and,
  /// at the beginning of the line, the first values of the next group.
  TRIDIA_FN void backward(int lane, index_t k0, index_t k1) const {
    if (!s_.far) return;
    const index_t away = distance(out_);
    results(lane, k0 - away, k1 - away);
    if (k0 < away && s_.next >= 0) values(lane, away - k1, away - k0, s_.next - s_.in_at[0]);
  }

 private:
  /// Returns the rows between those that are worked on and those that are prefetched.
  index_t distance(use u) const { return u.in_place ? s_.ahead : s_.chunk; }

  /// Calls f(element) for each cache line that rows k0 to k1 - 1 of some lanes have in an array.
  /// `f` must be inlined: GCC takes a function that only prefetches for one without effects, and
  /// drops the call.
  template <class F>
  TRIDIA_FN void for_each_cache_line(const index_t* at, index_t step, use u, int lane, index_t k0,
                                     index_t k1, F f) const {
    constexpr int per_line = 64 / static_cast<int>(sizeof(R));
    if (step == 1) {
      const int to = std::min(lane + Lanes, s_.live);
      for (int l = lane; l < to; ++l) {
        for (index_t k = k0; k < k1; k += per_line) f(at[l] + k);
      }
    } else if (u.in_rows) {
      for (index_t k = k0; k < k1; ++k) {
        for (int l = 0; l < Lanes; l += per_line) f(at[0] + lane + l + k * step);
      }
    }
  }
  TRIDIA_FN void values(int lane, index_t k0, index_t k1, index_t shift) const {
    const R* const in = static_cast<const R*>(s_.in) + shift;
    for_each_cache_line(s_.in_at, s_.in_step, in_, lane, std::max<index_t>(k0, 0),
                        std::min(k1, t_.points),
                        [&](index_t i) TRIDIA_LAMBDA { __builtin_prefetch(in + i, 0, 2); });
  }
  TRIDIA_FN void results(int lane, index_t k0, index_t k1) const {
    if (s_.nontemporal) return;
    R* const out = static_cast<R*>(s_.out);
    for_each_cache_line(s_.out_at, s_.out_step, out_, lane, std::max<index_t>(k0, 0),
                        std::min(k1, t_.rows),
                        [&](index_t i) TRIDIA_LAMBDA { __builtin_prefetch(out + i, 1, 3); });
  }

  const tables<R>& t_;
  const line_group& s_;
  use in_, out_;
};

}  // namespace tridia::compact::cpu::TRIDIA_ISA
