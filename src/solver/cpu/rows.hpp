// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/access.hpp"

// This header defines the parts that core/line.hpp needs where systems are neighbours in memory: a
// row of a group is read and written in place, one row a block.
namespace tridia::cpu::TRIDIA_ISA {

/// Loads a value whose lanes are neighbours; real and imaginary parts alternate in memory.
template <class V>
TRIDIA_FN V load_neighbours(const typename packing<V>::scalar* p) {
  if constexpr (packing<V>::parts == 1) {
    return packing<V>::load(p);
  } else {
    using part = typename packing<V>::part;
    using scalar = typename part::scalar;
    constexpr int w = part::width;
    V v;
#pragma GCC unroll 8
    for (int i = 0; i < part::count / w; ++i, p += 2 * w) {
      const auto a = load_vector<scalar, w>(p), b = load_vector<scalar, w>(p + w);
      v.re.v[i] = typename part::simd(evens(a, b));
      v.im.v[i] = typename part::simd(odds(a, b));
    }
    return v;
  }
}
template <class V>
TRIDIA_FN void store_neighbours(const V& v, typename packing<V>::scalar* p, bool stream) {
  using part = typename packing<V>::part;
  using scalar = typename part::scalar;
  constexpr int w = part::width;
#pragma GCC unroll 8
  for (int i = 0; i < part::count / w; ++i, p += packing<V>::parts * w) {
    if constexpr (packing<V>::parts == 1) {
      put_vector<scalar, w>(p, native(v.v[i]), stream);
    } else {
      const auto a = native(v.re.v[i]), b = native(v.im.v[i]);
      put_vector<scalar, w>(p, low_pairs(a, b), stream);
      put_vector<scalar, w>(p + w, high_pairs(a, b), stream);
    }
  }
}

/// Loads row k of a group.
template <class V>
TRIDIA_FN V load_row(const strided_lanes_of<V>& p, index_t k) {
  if (p.in_one_piece()) return load_neighbours<V>(p.row(k));
  if (p.in_one_entry()) return packing<V>::splat(p.row(k));
  alignas(64) typename packing<V>::scalar row[packing<V>::reals];
  p.load(row, k, k + 1);
  return packing<V>::load(row);
}

/// Prefetches the memory of rows k0 to k1 - 1 of a group, as far as there are any.
template <class Panel>
TRIDIA_FN void ask_rows(const Panel& p, index_t k0, index_t k1, index_t rows) {
  if (!p.in_one_piece()) return;
  for (index_t k = k0 > 0 ? k0 : 0; k < k1 && k < rows; ++k) {
    for (int i = 0; i < Panel::row_reals; i += Panel::per_cache_line) {
      __builtin_prefetch(p.row(k) + i, 0, 2);
    }
  }
}

template <class V>
class matrix_rows {
 public:
  matrix_rows(const strip& s, const group<V>& g) : s_(s), group_(&g) {}
  void use(const group<V>& g) { group_ = &g; }
  void fetch(index_t, index_t) {}
  TRIDIA_FN core::row<V> get(index_t k) const {
    const index_t n = s_.rows;
    core::row<V> r{off_diagonal(layout::sub, k, k == 0, n),
                   load_row<V>(group_->in[layout::diag], k),
                   off_diagonal(layout::sup, k, k == n - 1, -1)};
    if (s_.g->conjugate) r = {conjugate(r.sub), conjugate(r.diag), conjugate(r.sup)};
    if (n < 3 && s_.g->corners != edge::absent) r = core::folded(r, k, n);
    return r;
  }

 private:
  /// Reads an entry beyond an end only where the matrix has it.
  TRIDIA_FN V off_diagonal(layout::array a, index_t k, bool end, index_t wrapped) const {
    if (end && s_.g->corners != edge::inside) {
      return s_.g->corners == edge::absent ? V(0) : load_row<V>(group_->in[a], wrapped);
    }
    return load_row<V>(group_->in[a], k);
  }

  const strip& s_;
  const group<V>* group_;
};

template <class V>
class rhs_rows {
 public:
  explicit rhs_rows(const group<V>& g) : group_(&g) {}
  void use(const group<V>& g) { group_ = &g; }
  void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t k) const { return load_row<V>(group_->in[layout::rhs], k); }

 private:
  const group<V>* group_;
};

template <class V>
class solution_rows {
 public:
  solution_rows(const strip& s, const group<V>& g) : s_(s), group_(&g) {}
  void use(const group<V>& g) { group_ = &g; }
  void open(index_t) {}
  void flush(index_t, index_t) {}
  TRIDIA_FN void put(index_t k, const V& v) const {
    if (group_->live == packing<V>::count && group_->x.in_one_piece()) {
      store_neighbours(v, group_->x.row(k), s_.stream);
      return;
    }
    alignas(64) typename packing<V>::scalar row[packing<V>::reals];
    packing<V>::store(v, row);
    group_->x.store(row, k, k + 1, group_->live, s_.stream);
  }

 private:
  const strip& s_;
  const group<V>* group_;
};

/// Accesses rows of a strip whose systems are all neighbours: one address serves all groups of a
/// row, where the parts above would compute it for every group.
template <class V>
class joint_rows {
 public:
  using scalar = typename packing<V>::scalar;

  joint_rows(const strip& s, const group<V>* groups) {
    const group<V>& last = groups[s.groups - 1];
    joint_ = s.rows > 2 && last.live == packing<V>::count && !s.g->conjugate;
    for (int a = 0; a <= layout::x && joint_; ++a) {
      const strided_lanes_of<V>& p = strided_lanes(groups[0], a);
      joint_ = p.in_one_piece();
      for (int i = 1; i < s.groups && joint_; ++i) {
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
    bool stream;
    TRIDIA_FN void open(index_t) const {}
    TRIDIA_FN void flush(index_t, index_t) const {}
    TRIDIA_FN void put(index_t, const V& v) const {
      store_neighbours(v, of.at(layout::x, i), stream);
    }
  };
  /// Prefetches what group i of a row is read from.
  static TRIDIA_FN void ask(const row& of, int i) {
    _Pragma("GCC unroll 4") for (int a = 0; a < layout::x; ++a) {
      const scalar* const p = of.at(layout::array(a), i);
      for (int at = 0; at < packing<V>::reals; at += 64 / static_cast<int>(sizeof(scalar))) {
        __builtin_prefetch(p + at, 0, 3);
      }
    }
  }

 private:
  static const strided_lanes_of<V>& strided_lanes(const group<V>& g, int a) {
    return a < layout::x ? g.in[a] : g.x;
  }

  scalar* base_[5];
  index_t step_[5];
  bool joint_;
};

}  // namespace tridia::cpu::TRIDIA_ISA
