// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_merge.hpp"
#include "solver/cpu/part_kernels.hpp"
#include "solver/cpu/tile_access.hpp"
#include "solver/cpu/value_rows.hpp"

#include <algorithm>

// These types hand rows of parts of lines to core/chunk.hpp, and what it makes of them to memory: a
// lane for each part.
namespace tridia::cpu::TRIDIA_ISA {

template <class V>
using scalar_of = typename packing<V>::scalar;

/// Moves words of the live lanes between vectors and the memory of each lane.
template <class V>
class lane_values {
 public:
  lane_values(const part_batch& batch, const lane_group<V>& g, int number)
      : place_(batch.place + number * packing<V>::count), live_(g.live) {}

  template <int Count>
  void store(const V (&words)[Count], scalar_of<V>* base) const {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    for (int w = 0; w < Count; ++w) {
      packing<V>::store(words[w], row);
      for (int l = 0; l < live_; ++l) {
        for (int c = 0; c < parts; ++c) at(base, l, w)[c] = row[c * packing<V>::count + l];
      }
    }
  }
  template <int Count>
  void load(V (&words)[Count], const scalar_of<V>* base) const {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    for (int w = 0; w < Count; ++w) {
      for (int l = 0; l < packing<V>::count; ++l) {
        const int from = l < live_ ? l : 0;
        for (int c = 0; c < parts; ++c) row[c * packing<V>::count + l] = at(base, from, w)[c];
      }
      words[w] = packing<V>::load(row);
    }
  }

 private:
  static constexpr int parts = packing<V>::parts;
  template <class R>
  R* at(R* base, int lane, int word) const {
    return base + (place_[lane].first + word * place_[lane].pitch) * parts;
  }
  const value_place* place_;
  int live_;
};

/// Holds the two entries that couple the rows here to those elsewhere; zero where there are none.
template <class V>
struct couplings {
  V before, after;
  /// `first` is the number of the group's first line in the batch.
  couplings(const part_batch& batch, const lane_group<V>& g, int first)
      : before(batch.before ? entry(g, batch.entries_before, first, layout::sub, 0) : V(0)),
        after(batch.after ? entry(g, batch.entries_after, first, layout::sup, batch.lines.rows - 1)
                          : V(0)) {}

 private:
  static V entry(const lane_group<V>& g, const void* given, int first, layout::array a, index_t k) {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    if (given == nullptr) {
      g.in[a].load(row, k, k + 1);
    } else {
      for (int l = 0; l < packing<V>::count; ++l) {
        const int line = first + std::min(l, g.live - 1);
        for (int c = 0; c < packing<V>::parts; ++c) {
          row[c * packing<V>::count + l] =
              static_cast<const scalar_of<V>*>(given)[line * packing<V>::parts + c];
        }
      }
    }
    return packing<V>::load(row);
  }
};

/// Stores a mask, and loads it: a bool for each live lane.
template <class V>
void put_lanes(const core::mask_t<V>& mask, const lane_group<V>& g, bool* to) {
  std::fill_n(to, g.live, false);
  for_each_set(mask, [&](int l) {
    if (l < g.live) to[l] = true;
  });
}
template <class V>
core::mask_t<V> get_lanes(const bool* from, const lane_group<V>& g) {
  alignas(64) scalar_of<V> row[packing<V>::reals] = {};
  for (int l = 0; l < packing<V>::count; ++l) row[l] = from[l < g.live ? l : 0];
  return to_mask(packing<V>::load(row));
}

/// Gives core/chunk.hpp the rows that it reads without pivoting: in order, fetched a block at a
/// time.
template <class V, class Context>
class rows_in_order {
 public:
  rows_in_order(Context& w, const couplings<V>& outside) : w_(w), outside_(outside) {}

  TRIDIA_FN core::row<V> get(index_t k) {
    fetch(k);
    core::row<V> r = w_.a.get(k);
    if (k == 0) r.sub = outside_.before;
    if (k == w_.batch.rows - 1) r.sup = outside_.after;
    return r;
  }
  TRIDIA_FN V rhs(index_t k) {
    fetch(k);
    // Reducing has no backward sweep: its share of the prefetches comes here.
    w_.prefetch.forward_row();
    return w_.b.get(k);
  }

 private:
  TRIDIA_FN void fetch(index_t k) {
    if (k >= end_) fetch_block(k);
  }
  __attribute__((noinline)) void fetch_block(index_t k) {
    const index_t k1 = w_.cut.end(k, w_.batch.rows);
    w_.a.fetch(k, k1), w_.b.fetch(k, k1);
    end_ = k1;
  }
  Context& w_;
  const couplings<V>& outside_;
  index_t end_ = 0;
};

/// Holds all rows of a chunk in memory, as pivoting reads several places of it at a time. What
/// expanding keeps of a row replaces the row, and x then replaces that.
template <class V>
class staged_rows {
 public:
  using pivot_row = typename core::chunk<V, pivoting::partial>::pivot_row;
  static constexpr int words = 5;
  template <class Context>
  staged_rows(Context& w, const couplings<V>& outside, void* memory) : words_(memory) {
    rows_in_order<V, Context> rows(w, outside);
    for (index_t k = 0; k < w.batch.rows; ++k) {
      const core::row<V> r = rows.get(k);
      words_.store(k, 0, r.sub), words_.store(k, 1, r.diag), words_.store(k, 2, r.sup);
      words_.store(k, 3, rows.rhs(k));
    }
  }

  core::row<V> get(index_t k) const {
    return {words_.load(k, 0), words_.load(k, 1), words_.load(k, 2)};
  }
  V rhs(index_t k) const { return words_.load(k, 3); }
  void keep_pivot(index_t k, const pivot_row& r) {
    words_.store(k, 0, r.next), words_.store(k, 1, r.other), words_.store(k, 2, r.first);
    words_.store(k, 3, r.rhs), words_.store(k, 4, from_mask<V>(r.entered));
  }
  pivot_row kept_pivot(index_t k) const {
    return {words_.load(k, 0), words_.load(k, 1), words_.load(k, 2), words_.load(k, 3),
            to_mask(words_.load(k, 4))};
  }
  void put(index_t k, const V& x) { words_.store(k, 0, x); }
  /// Copies the values of `put` to x, as f(row, value) makes them.
  template <class Context, class F>
  void flush(Context& w, F f) const {
    for (index_t k0 = 0, k1; k0 < w.batch.rows; k0 = k1) {
      k1 = w.cut.end(k0, w.batch.rows);
      w.x.open(k0);
      for (index_t k = k0; k < k1; ++k) w.x.put(k, f(k, words_.load(k, 0)));
      w.x.flush(k0, k1);
    }
  }

 private:
  value_rows<V, words> words_;
};

/// These are the bytes that a row of a group takes in the thread's memory: one value; what
/// elimination without interchanges keeps; all that chunks with pivoting need; and these with x of
/// lanes that need no interchanges, where some do.
template <class V>
inline constexpr std::size_t value_bytes = packing<V>::reals * sizeof(scalar_of<V>);
template <class V>
inline constexpr std::size_t plain_bytes =
    value_bytes<V>*(core::elimination<V, pivoting::none, boundary::regular>::upper_values + 1);
template <class V>
inline constexpr std::size_t staged_bytes = value_bytes<V>* staged_rows<V>::words;
template <class V>
inline constexpr std::size_t mixed_bytes = staged_bytes<V> + value_bytes<V> + plain_bytes<V>;

/// Reads a right-hand side minus the couplings times the x known outside.
template <class V>
struct coupled_rhs {
  rhs_tiles<V>& tiles;
  V first, last;
  index_t last_row;
  void fetch(index_t k0, index_t k1) { tiles.fetch(k0, k1); }
  V get(index_t k) const {
    V r = tiles.get(k);
    if (k == 0) r = r + -first;
    if (k == last_row) r = r + -last;
    return r;
  }
};

/// Keeps x in the thread's memory.
template <class V>
struct kept_solution {
  value_rows<V, 1> rows;
  void open(index_t) const {}
  TRIDIA_FN void put(index_t k, const V& x) const { rows.store(k, 0, x); }
  void flush(index_t, index_t) const {}
};

}  // namespace tridia::cpu::TRIDIA_ISA
