// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/rows.hpp"

#include <limits>

namespace tridia::cpu::TRIDIA_ISA {

/// Holds why systems failed, as statuses by lane of a group; rows are counted from where each
/// system begins.
class findings {
 public:
  explicit findings(const index_t* first = nullptr) : first_(first) {}
  void enter(int lane, index_t status) {
    status_[lane] = status > 0 ? status - first_[lane] : status + first_[lane];
    any_ = true;
  }
  /// Enters the status of lanes that failed for a reason not found yet.
  template <class Mask>
  void enter_unknown(const Mask& failed) {
    for_each_set(failed, [&](int lane) { enter_unknown(lane); });
  }
  void enter_unknown(int lane) { status_[lane] = -1, any_ = true; }
  index_t operator[](int lane) const { return status_[lane]; }
  /// Returns whether any lane failed.
  bool any() const { return any_; }

 private:
  bool any_ = false;
  const index_t* first_;
  index_t status_[max_lanes] = {};
};

/// Reads and writes a group of a strip through tiles; row_access does so in place.
template <class V>
struct tile_access {
  lookahead<V> ahead;
  matrix_tiles<V> a;
  rhs_tiles<V> b;
  solution_tiles<V> x;
  tile_access(const strip& s, const group<V>& g) : a(s, g, ahead), b(s, g, ahead), x(s, g, ahead) {}
  void use(const group<V>& g) { a.use(g), b.use(g), x.use(g); }
};
template <class V>
struct row_access {
  matrix_rows<V> a;
  rhs_rows<V> b;
  solution_rows<V> x;
  row_access(const strip& s, const group<V>& g) : a(s, g), b(g), x(s, g) {}
  void use(const group<V>& g) { a.use(g), b.use(g), x.use(g); }
};

/// Holds a strip, its groups, and the access to the group that is solved.
template <class V, class E, class Access>
struct kernel_context : Access {
  const strip& s;
  const core::blocks cut;
  group<V> groups[max_groups];
  using Access::a, Access::b, Access::x;

  kernel_context(const strip& given, const core::blocks& blocks)
      : Access(given, groups[0]), s(given), cut(blocks) {
    for (int i = 0; i < s.groups; ++i) groups[i] = group<V>(s, i);
  }
  void use(int number) { Access::use(groups[number]); }

  /// Finds the reasons of failures. This is rare and long, so it is not inlined.
  template <class Rhs>
  __attribute__((noinline)) void explain(Rhs& rhs, const core::mask_t<V>& open, findings& found) {
    core::diagnose_line<V, E>(s.rows, cut, a, rhs, open,
                              [&](int lane, index_t status) { found.enter(lane, status); });
  }
  void failed(const core::mask_t<V>& mask, bool before, findings& found) {
    core::zero_rhs<V> zero;
    found.enter_unknown(mask);
    if (before) {
      explain(b, mask, found);
    } else {
      explain(zero, mask, found);
    }
  }
  /// Enters the statuses of all live lanes, or of those that failed.
  void enter_statuses(int number, const findings& found, bool all) const {
    if (s.status == nullptr) return;
    const index_t* at = s.line[layout::status] + number * packing<V>::count;
    for (int l = 0; l < groups[number].live; ++l) {
      if (all || found[l] != 0) s.status[at[l]] = found[l];
    }
  }
  /// Fills x of live lanes that failed with NaN, once x of the group has been written.
  void fill_with_nan(int number, const findings& found) const {
    if (found.any()) fill_failed(groups[number], found);
  }

 private:
  __attribute__((noinline)) void fill_failed(const group<V>& g, const findings& found) const {
    constexpr auto nan = std::numeric_limits<typename packing<V>::scalar>::quiet_NaN();
    for (int l = 0; l < g.live; ++l) {
      if (found[l] != 0) g.x.fill(nan, l, g.first[l], s.rows);
    }
  }
};

}  // namespace tridia::cpu::TRIDIA_ISA
