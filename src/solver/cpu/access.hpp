// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "solver/cpu/group.hpp"
#include "solver/cpu/lanes.hpp"
#include "solver/cpu/tile.hpp"

// The parts that core/line.hpp asks for, for a group of systems in lockstep.
namespace tridia::cpu::TRIDIA_ISA {

using layout::edge;

/// Rows a tile holds: four tiles of them stay in the first-level cache.
template <class V>
inline constexpr index_t block_rows = [] {
  const std::size_t row = packing<V>::reals * sizeof(typename packing<V>::scalar);
  index_t rows = 8;
  while (rows < 64 && 2 * rows * row <= 4096) rows *= 2;
  return rows;
}();

template <class V>
using tile = typename packing<V>::scalar[block_rows<V> * packing<V>::reals];

template <class V>
using panel_of =
    panel<typename packing<V>::scalar, packing<V>::parts, packing<V>::count, packing<V>::width>;

template <class V>
panel_of<V> input_panel(const group& s, layout::array a) {
  using R = typename packing<V>::scalar;
  return {static_cast<const R*>(s.in[a]) + s.g->lines[a].origin * packing<V>::parts, s.line[a],
          s.g->lines[a].step};
}

/// Fills the rows of lanes that have not begun with a number, and loads the others one by one.
template <class V>
void load_padded(const panel_of<V>& p, const group& s, typename packing<V>::scalar* tile,
                 index_t k0, index_t k1, index_t skip, int pad) {
  constexpr int reals = packing<V>::reals;
  for (index_t k = k0; k < k1; ++k, tile += reals) {
    for (int l = 0; l < packing<V>::count; ++l) {
      if (k >= s.first[l] + skip) {
        p.load_entry(tile, l, k);
      } else {
        tile[l] = static_cast<typename packing<V>::scalar>(pad);
        if constexpr (packing<V>::parts == 2) tile[packing<V>::count + l] = 0;
      }
    }
  }
}

template <class V>
class matrix_tiles {
 public:
  explicit matrix_tiles(const group& s)
      : s_(s),
        sub_(input_panel<V>(s, layout::sub)),
        diag_(input_panel<V>(s, layout::diag)),
        sup_(input_panel<V>(s, layout::sup)) {}

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 <= s_.longest_pad && s_.longest_pad > 0) {
      load_padded<V>(sub_, s_, sub_tile_, k0, k1, 1, 0);
      load_padded<V>(diag_, s_, diag_tile_, k0, k1, 0, 1);
      load_padded<V>(sup_, s_, sup_tile_, k0, k1 < s_.rows ? k1 : k1 - 1, 0, 0);
      if (k1 == s_.rows) clear(sup_tile_ + (k1 - 1 - k0) * row);
    } else {
      diag_.load(diag_tile_, k0, k1);
      fetch_off_diagonals(k0, k1);
    }
    if (s_.g->conjugate) conjugate_tiles(k1 - k0);
    if (s_.rows < 3 && s_.g->corners != edge::absent) fold(k0, k1);
  }

  TRIDIA_FN core::row<V> get(index_t k) const {
    const index_t at = (k - k0_) * row;
    return {packing<V>::load(sub_tile_ + at), packing<V>::load(diag_tile_ + at),
            packing<V>::load(sup_tile_ + at)};
  }

 private:
  using scalar = typename packing<V>::scalar;
  static constexpr index_t row = packing<V>::reals;

  /// The first entry of sub and the last of sup are read only where the matrix has them.
  void fetch_off_diagonals(index_t k0, index_t k1) {
    const layout::geometry& g = *s_.g;
    const index_t n = s_.rows;
    const bool whole = g.edges_readable;
    const bool first = k0 == 0, last = k1 == n;
    sub_.load(sub_tile_ + (first && !whole ? row : 0), k0 + (first && !whole ? 1 : 0), k1);
    sup_.load(sup_tile_, k0, k1 - (last && !whole ? 1 : 0));
    if (first && g.corners == edge::absent) clear(sub_tile_);
    if (last && g.corners == edge::absent) clear(sup_tile_ + (n - 1 - k0) * row);
    if (first && g.corners == edge::wrapped) sub_.load_row(sub_tile_, n);
    if (last && g.corners == edge::wrapped) sup_.load_row(sup_tile_ + (n - 1 - k0) * row, -1);
  }

  static void clear(scalar* p) {
    for (index_t i = 0; i < row; ++i) p[i] = 0;
  }

  void conjugate_tiles(index_t rows) {
    if constexpr (packing<V>::parts == 2) {
      for (scalar* t : {sub_tile_, diag_tile_, sup_tile_}) {
        for (index_t k = 0; k < rows; ++k) {
          for (int l = packing<V>::count; l < row; ++l) t[k * row + l] = -t[k * row + l];
        }
      }
    }
  }

  void fold(index_t k0, index_t k1) {
    for (index_t k = k0; k < k1; ++k) {
      const core::row<V> r = core::folded(get(k), k, s_.rows);
      const index_t at = (k - k0) * row;
      packing<V>::store(r.sub, sub_tile_ + at);
      packing<V>::store(r.diag, diag_tile_ + at);
      packing<V>::store(r.sup, sup_tile_ + at);
    }
  }

  const group& s_;
  panel_of<V> sub_, diag_, sup_;
  index_t k0_ = 0;
  alignas(64) tile<V> sub_tile_, diag_tile_, sup_tile_;
};

template <class V>
class rhs_tiles {
 public:
  explicit rhs_tiles(const group& s) : s_(s), rhs_(input_panel<V>(s, layout::rhs)) {}

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 < s_.longest_pad) {
      load_padded<V>(rhs_, s_, tile_, k0, k1, 0, 0);
    } else {
      rhs_.load(tile_, k0, k1);
    }
  }
  TRIDIA_FN V get(index_t k) const {
    return packing<V>::load(tile_ + (k - k0_) * packing<V>::reals);
  }

 private:
  const group& s_;
  panel_of<V> rhs_;
  index_t k0_ = 0;
  alignas(64) tile<V> tile_;
};

template <class V>
class solution_tiles {
 public:
  explicit solution_tiles(const group& s)
      : s_(s),
        x_(static_cast<const scalar*>(s.x) + s.g->lines[layout::x].origin * packing<V>::parts,
           s.line[layout::x], s.g->lines[layout::x].step) {}

  index_t phase() const { return 0; }
  TRIDIA_FN void put(index_t k, const V& v) {
    packing<V>::store(v, tile_ + k % block_rows<V> * packing<V>::reals);
  }
  void flush(index_t k0, index_t k1) {
    const scalar* from = tile_ + k0 % block_rows<V> * packing<V>::reals;
    if (k0 >= s_.longest_pad) {
      x_.store(from, k0, k1, s_.live, s_.stream);
    } else {
      flush_padded(from, k0, k1);
    }
  }

 private:
  using scalar = typename packing<V>::scalar;

  void flush_padded(const scalar* from, index_t k0, index_t k1) {
    for (int l = 0; l < s_.live; ++l) {
      for (index_t k = k0 > s_.first[l] ? k0 : s_.first[l]; k < k1; ++k) {
        x_.store_entry(from + (k - k0) * packing<V>::reals, l, k);
      }
    }
  }

  const group& s_;
  panel_of<V> x_;
  alignas(64) tile<V> tile_;
};

/// Words of `Count` values a row, in the thread's memory or in factors.
template <class V, int Count>
class word_rows {
 public:
  using scalar = typename packing<V>::scalar;
  explicit word_rows(const void* memory) : base_(static_cast<scalar*>(const_cast<void*>(memory))) {}
  TRIDIA_FN void store(index_t k, int word, const V& v) const {
    packing<V>::store(v, base_ + (k * Count + word) * packing<V>::reals);
  }
  TRIDIA_FN V load(index_t k, int word) const {
    return packing<V>::load(base_ + (k * Count + word) * packing<V>::reals);
  }
  template <int N, class Part>
  TRIDIA_FN void put(index_t k, int first, const Part& part) const {
    V w[N];
    part.put(w);
    for (int i = 0; i < N; ++i) store(k, first + i, w[i]);
  }
  template <int N, class Part>
  TRIDIA_FN void get(index_t k, int first, Part& part) const {
    V w[N];
    for (int i = 0; i < N; ++i) w[i] = load(k, first + i);
    part.get(w);
  }

 private:
  scalar* base_;
};

template <class V, class E>
struct kept_words {
  word_rows<V, E::upper_words + 1> at;
  TRIDIA_FN void put(index_t k, const typename E::upper& u, const V& y) const {
    at.store(k, 0, y);
    at.template put<E::upper_words>(k, 1, u);
  }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    at.template get<E::upper_words>(k, 1, u);
    return at.load(k, 0);
  }
};

template <class V, class E>
struct factor_words {
  word_rows<V, E::lower_words + E::upper_words> at;
  TRIDIA_FN void put(index_t k, const typename E::lower& l, const typename E::upper& u) const {
    at.template put<E::lower_words>(k, 0, l);
    at.template put<E::upper_words>(k, E::lower_words, u);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const {
    at.template get<E::lower_words>(k, 0, l);
  }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    at.template get<E::upper_words>(k, E::lower_words, u);
  }
};

/// Factors of one matrix, each number in every lane. They were made by kernels of one lane.
template <class V, class E>
struct shared_factor_words {
  static constexpr int words = E::lower_words + E::upper_words;
  const typename packing<V>::scalar* base;

  template <int N, class Part>
  TRIDIA_FN void get(index_t k, int first, Part& part) const {
    V w[N];
    for (int i = 0; i < N; ++i) {
      w[i] = packing<V>::splat(base + (k * words + first + i) * packing<V>::parts);
    }
    part.get(w);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const { get<E::lower_words>(k, 0, l); }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    get<E::upper_words>(k, E::lower_words, u);
  }
};

/// Substitution: U from factors, y from the thread's memory.
template <class V, class E, class Factors>
struct kept_values {
  const Factors& factors;
  word_rows<V, 1> y;
  TRIDIA_FN void put(index_t k, const V& v) const { y.store(k, 0, v); }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    factors.get_upper(k, u);
    return y.load(k, 0);
  }
};

}  // namespace tridia::cpu::TRIDIA_ISA
