// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/row_access.hpp"

namespace tridia::cpu::TRIDIA_ISA {

/// Accesses rows of a batch of groups whose systems are all neighbours: one address serves all
/// groups of a row, where the parts above would compute it for every group.
template <class V>
class joint_rows {
 public:
  using scalar = typename packing<V>::scalar;

  joint_rows(const group_batch& batch, const lane_group<V>* groups) {
    const lane_group<V>& last = groups[batch.groups - 1];
    joint_ = batch.rows > 2 && last.live == packing<V>::count && !batch.g->conjugate;
    for (int a = 0; a <= layout::x && joint_; ++a) {
      const strided_lanes_of<V>& p = strided_lanes(groups[0], a);
      joint_ = p.in_one_piece();
      for (int i = 1; i < batch.groups && joint_; ++i) {
        const strided_lanes_of<V>& next = strided_lanes(groups[i], a);
        joint_ = next.in_one_piece() && next.row(0) == p.row(0) + i * packing<V>::reals;
      }
      base_[a] = p.row(0);
      step_[a] = p.row(1) - p.row(0);
    }
  }
  bool joint() const { return joint_; }

  /// Holds the addresses of one row of all groups, as copies, which no store can change.
  class row {
   public:
    row(const joint_rows& all, index_t k) {
      _Pragma("GCC unroll 5") for (int a = 0; a <= layout::x; ++a) {
        at_[a] = all.base_[a] + k * all.step_[a];
      }
    }
    /// Returns the address of group i.
    TRIDIA_FN scalar* at(layout::array a, int i) const { return at_[a] + i * packing<V>::reals; }

   private:
    scalar* at_[5];
  };

  struct matrix {
    const row& of;
    int i;
    TRIDIA_FN core::row<V> get(index_t) const {
      return {load_neighbours<V>(of.at(layout::sub, i)), load_neighbours<V>(of.at(layout::diag, i)),
              load_neighbours<V>(of.at(layout::sup, i))};
    }
  };
  struct rhs {
    const row& of;
    int i;
    TRIDIA_FN V get(index_t) const { return load_neighbours<V>(of.at(layout::rhs, i)); }
  };
  struct solution {
    const row& of;
    int i;
    bool nontemporal;
    TRIDIA_FN void open(index_t) const {}
    TRIDIA_FN void flush(index_t, index_t) const {}
    TRIDIA_FN void put(index_t, const V& v) const {
      store_neighbours(v, of.at(layout::x, i), nontemporal);
    }
  };
  /// Prefetches what group i of a row is read from.
  static TRIDIA_FN void prefetch(const row& of, int i) {
    _Pragma("GCC unroll 4") for (int a = 0; a < layout::x; ++a) {
      const scalar* const p = of.at(layout::array(a), i);
      for (int at = 0; at < packing<V>::reals; at += 64 / static_cast<int>(sizeof(scalar))) {
        __builtin_prefetch(p + at, 0, 3);
      }
    }
  }

 private:
  static const strided_lanes_of<V>& strided_lanes(const lane_group<V>& g, int a) {
    return a < layout::x ? g.in[a] : g.x;
  }

  scalar* base_[5];
  index_t step_[5];
  bool joint_;
};

}  // namespace tridia::cpu::TRIDIA_ISA
