// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "cpu/lanes.hpp"
#include "solver/cpu/group.hpp"
#include "solver/cpu/strided_lanes.hpp"

// This header defines the parts that core/line.hpp needs, for a group of systems solved in
// lockstep.
namespace tridia::cpu::TRIDIA_ISA {

using layout::edge;

/// This is the number of rows of a tile: four tiles of them fit in the first-level cache.
template <class V>
inline constexpr index_t block_rows = [] {
  const std::size_t row = packing<V>::reals * sizeof(typename packing<V>::scalar);
  index_t rows = 8;
  while (rows < 64 && 2 * rows * row <= 4096) rows *= 2;
  return rows;
}();

/// A tile holds the rows of a block; the backward sweep needs one row more.
template <class V>
using tile = typename packing<V>::scalar[(block_rows<V> + 1) * packing<V>::reals];

template <class V>
using strided_lanes_of = strided_lanes<typename packing<V>::scalar, packing<V>::parts,
                                       packing<V>::count, packing<V>::width>;

/// Holds one group of a strip: its arrays, by layout::array, and how many of its lanes are live.
template <class V>
struct group {
  strided_lanes_of<V> in[4], x;
  const index_t* first;
  int live;

  group() = default;
  group(const strip& s, int number) {
    using R = typename packing<V>::scalar;
    const int from = number * packing<V>::count;
    for (int a = 0; a <= layout::x; ++a) {
      const void* base = a < layout::x ? s.in[a] : s.x;
      if (base == nullptr) continue;
      const layout::along& l = s.g->lines[a];
      (a < layout::x ? in[a] : x) = strided_lanes_of<V>(
          static_cast<const R*>(base) + l.origin * packing<V>::parts, s.line[a] + from, l.step);
    }
    first = s.first + from;
    live = s.live - from < packing<V>::count ? s.live - from : packing<V>::count;
  }
};

/// Prefetches the lines that will be read next, a little at a time beside other work, in the order
/// in which they lie in memory: tiles are read from many places at once, which the hardware
/// prefetcher does not predict.
template <class V>
class lookahead {
 public:
  /// Sets what to prefetch: all rows of one group whose lines are contiguous, and follow each
  /// other; null: nothing.
  void lines_of(const group<V>* next, index_t rows) {
    at_ = due_ = end_ = 0;
    if (next == nullptr || !next->in[layout::rhs].in_lines()) return;
    for (int a = 0; a < 4; ++a) base_[a] = next->in[a].address(0, 0);
    end_ = rows * row_bytes;
  }
  /// Prefetches are spread evenly over time: a processor drops those that come in bursts (Zen 5:
  /// half of the time). From each array come an eighth of what was moved into tiles or out of them,
  /// a quarter of a row of the forward sweep and an eighth of one of the backward sweep: in all,
  /// one group while one is solved.
  TRIDIA_FN void moved(int bytes) { next(bytes / 8); }
  TRIDIA_FN void went_down() { next(row_bytes / 4); }
  TRIDIA_FN void came_back() { next(row_bytes / 8); }

 private:
  static constexpr int row_bytes = packing<V>::reals * sizeof(typename packing<V>::scalar);

  TRIDIA_FN void next(int bytes) {
    for (due_ += bytes; at_ < due_ && at_ < end_; at_ += 64) {
      for (int a = 0; a < 4; ++a) __builtin_prefetch(base_[a] + at_, 0, 3);
    }
  }

  const char* base_[4];
  index_t at_ = 0, due_ = 0, end_ = 0;
};

/// Fills the rows of lanes that have not begun with a number, and loads the others one by one.
template <class V>
void load_padded(const strided_lanes_of<V>& p, const index_t* first,
                 typename packing<V>::scalar* tile, index_t k0, index_t k1, index_t skip, int pad) {
  constexpr int reals = packing<V>::reals;
  for (index_t k = k0; k < k1; ++k, tile += reals) {
    for (int l = 0; l < packing<V>::count; ++l) {
      if (k >= first[l] + skip) {
        p.load_entry(tile, l, k);
      } else {
        tile[l] = static_cast<typename packing<V>::scalar>(pad);
        if constexpr (packing<V>::parts == 2) tile[packing<V>::count + l] = 0;
      }
    }
  }
}

/// This is the number of cache lines that a row of one array of a group takes.
template <class V>
inline constexpr int lines_a_row =
    packing<V>::reals* static_cast<int>(sizeof(typename packing<V>::scalar)) / 64;

template <class V>
class matrix_tiles {
 public:
  matrix_tiles(const strip& s, const group<V>& g, lookahead<V>& ahead)
      : s_(s), group_(&g), ahead_(ahead) {}
  void use(const group<V>& g) { group_ = &g; }

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 <= s_.longest_pad && s_.longest_pad > 0) {
      fetch_padded(k0, k1);
    } else {
      group_->in[layout::diag].load(diag_tile_, k0, k1, heard());
      fetch_off_diagonals(k0, k1);
    }
    if (s_.g->conjugate) conjugate_tiles(k1 - k0);
    if (s_.rows < 3 && s_.g->corners != edge::absent) fold(k0, k1);
  }

  TRIDIA_FN core::row<V> get(index_t k) const {
    const index_t at = (k - k0_) * row;
    ahead_.went_down();
    return {packing<V>::load(sub_tile_ + at), packing<V>::load(diag_tile_ + at),
            packing<V>::load(sup_tile_ + at)};
  }

 private:
  using scalar = typename packing<V>::scalar;
  static constexpr index_t row = packing<V>::reals;

  void fetch_padded(index_t k0, index_t k1) {
    const bool last = k1 == s_.rows;
    load_padded<V>(group_->in[layout::sub], group_->first, sub_tile_, k0, k1, 1, 0);
    load_padded<V>(group_->in[layout::diag], group_->first, diag_tile_, k0, k1, 0, 1);
    load_padded<V>(group_->in[layout::sup], group_->first, sup_tile_, k0, last ? k1 - 1 : k1, 0, 0);
    if (last) clear(sup_tile_ + (k1 - 1 - k0) * row);
  }

  /// Reads the first entry of sub and the last of sup only where the matrix has them.
  void fetch_off_diagonals(index_t k0, index_t k1) {
    const layout::geometry& g = *s_.g;
    const strided_lanes_of<V>&sub = group_->in[layout::sub], &sup = group_->in[layout::sup];
    const index_t n = s_.rows;
    const bool first = k0 == 0, last = k1 == n, whole = g.edges_readable;
    scalar* const last_row = sup_tile_ + (n - 1 - k0) * row;
    sub.load(sub_tile_ + (first && !whole ? row : 0), k0 + (first && !whole ? 1 : 0), k1, heard());
    sup.load(sup_tile_, k0, k1 - (last && !whole ? 1 : 0), heard());
    if (g.corners == edge::inside) return;
    if (first) g.corners == edge::absent ? clear(sub_tile_) : sub.load(sub_tile_, n, n + 1);
    if (last) g.corners == edge::absent ? clear(last_row) : sup.load(last_row, -1, 0);
  }

  auto heard() {
    return [this](int bytes) { ahead_.moved(bytes); };
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

  const strip& s_;
  const group<V>* group_;
  lookahead<V>& ahead_;
  index_t k0_ = 0;
  alignas(64) tile<V> sub_tile_, diag_tile_, sup_tile_;
};

template <class V>
class rhs_tiles {
 public:
  rhs_tiles(const strip& s, const group<V>& g, lookahead<V>& ahead)
      : s_(s), group_(&g), ahead_(ahead) {}
  void use(const group<V>& g) { group_ = &g; }

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 < s_.longest_pad) {
      load_padded<V>(group_->in[layout::rhs], group_->first, tile_, k0, k1, 0, 0);
    } else {
      group_->in[layout::rhs].load(tile_, k0, k1, [this](int bytes) { ahead_.moved(bytes); });
    }
  }
  TRIDIA_FN V get(index_t k) const {
    return packing<V>::load(tile_ + (k - k0_) * packing<V>::reals);
  }

 private:
  const strip& s_;
  const group<V>* group_;
  lookahead<V>& ahead_;
  index_t k0_ = 0;
  alignas(64) tile<V> tile_;
};

/// Prefetches the memory of results before they are written, a few cache lines with each row of the
/// block after them.
template <class V>
class write_ahead {
 public:
  /// Sets what to prefetch: the `rows` rows before row k0 of lines that are contiguous, and follow
  /// each other.
  void lines_before(const strided_lanes_of<V>& x, index_t k0, index_t rows) {
    left_ = 0;
    if (!x.in_lines() || k0 == 0) return;
    const index_t from = k0 > rows ? k0 - rows : 0;
    at_ = x.address(0, from);
    apart_ = x.address(1, from) - at_;
    each_ = at_each_ = static_cast<int>((x.address(0, k0) - at_ + 63) / 64);
    left_ = each_ * packing<V>::count;
  }
  TRIDIA_FN void next() {
    for (int i = 0; i < lines_a_row<V> && left_ > 0; ++i, --left_) {
      __builtin_prefetch(at_ + 64 * --at_each_, 1, 3);
      if (at_each_ == 0) at_ += apart_, at_each_ = each_;
    }
  }

 private:
  const char* at_ = nullptr;
  index_t apart_ = 0;
  int each_ = 0, at_each_ = 0, left_ = 0;
};

template <class V>
class solution_tiles {
 public:
  solution_tiles(const strip& s, const group<V>& g, lookahead<V>& ahead)
      : s_(s), group_(&g), ahead_(ahead) {}
  void use(const group<V>& g) { group_ = &g; }

  void open(index_t k0) {
    k0_ = k0;
    if (s_.own) soon_.lines_before(group_->x, k0, block_rows<V>);
  }
  TRIDIA_FN void put(index_t k, const V& v) {
    packing<V>::store(v, tile_ + (k - k0_) * packing<V>::reals);
    soon_.next();
    ahead_.came_back();
  }
  void flush(index_t k0, index_t k1) {
    if (k0 >= s_.longest_pad) {
      group_->x.store(tile_, k0, k1, group_->live, s_.stream,
                      [this](int bytes) { ahead_.moved(bytes); });
    } else {
      flush_padded(k0, k1);
    }
  }

 private:
  void flush_padded(index_t k0, index_t k1) {
    for (int l = 0; l < group_->live; ++l) {
      for (index_t k = k0 > group_->first[l] ? k0 : group_->first[l]; k < k1; ++k) {
        group_->x.store_entry(tile_ + (k - k0) * packing<V>::reals, l, k);
      }
    }
  }

  const strip& s_;
  const group<V>* group_;
  lookahead<V>& ahead_;
  write_ahead<V> soon_;
  index_t k0_ = 0;
  alignas(64) tile<V> tile_;
};

/// Accesses words of `Count` values a row, in the thread's memory or in factors.
template <class V, int Count>
class value_rows {
 public:
  using scalar = typename packing<V>::scalar;
  static constexpr index_t row_reals = Count * packing<V>::reals;
  /// `pitch` is the distance from one row to the next.
  explicit value_rows(const void* memory, index_t pitch = row_reals)
      : base_(static_cast<scalar*>(const_cast<void*>(memory))), pitch_(pitch) {}
  TRIDIA_FN void store(index_t k, int word, const V& v) const {
    packing<V>::store(v, base_ + k * pitch_ + word * packing<V>::reals);
  }
  TRIDIA_FN V load(index_t k, int word) const {
    return packing<V>::load(base_ + k * pitch_ + word * packing<V>::reals);
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
  index_t pitch_;
};

template <class V, class E>
struct saved_row_values {
  value_rows<V, E::upper_values + 1> at;
  TRIDIA_FN void put(index_t k, const typename E::upper& u, const V& y) const {
    at.store(k, 0, y);
    at.template put<E::upper_values>(k, 1, u);
  }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    at.template get<E::upper_values>(k, 1, u);
    return at.load(k, 0);
  }
};

template <class V, class E>
struct factor_values {
  value_rows<V, E::lower_values + E::upper_values> at;
  TRIDIA_FN void put(index_t k, const typename E::lower& l, const typename E::upper& u) const {
    at.template put<E::lower_values>(k, 0, l);
    at.template put<E::upper_values>(k, E::lower_values, u);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const {
    at.template get<E::lower_values>(k, 0, l);
  }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    at.template get<E::upper_values>(k, E::lower_values, u);
  }
};

/// Reads factors of one matrix, each number in every lane. They were made by kernels of one lane.
template <class V, class E>
struct shared_factor_values {
  static constexpr int words = E::lower_values + E::upper_values;
  const typename packing<V>::scalar* base;

  template <int N, class Part>
  TRIDIA_FN void get(index_t k, int first, Part& part) const {
    V w[N];
    for (int i = 0; i < N; ++i) {
      w[i] = packing<V>::splat(base + (k * words + first + i) * packing<V>::parts);
    }
    part.get(w);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const { get<E::lower_values>(k, 0, l); }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    get<E::upper_values>(k, E::lower_values, u);
  }
};

/// Gives substitution U from factors, and y from the thread's memory.
template <class V, class E, class Factors>
struct kept_values {
  const Factors& factors;
  value_rows<V, 1> y;
  TRIDIA_FN void put(index_t k, const V& v) const { y.store(k, 0, v); }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    factors.get_upper(k, u);
    return y.load(k, 0);
  }
};

}  // namespace tridia::cpu::TRIDIA_ISA
