// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "solver/cpu/prefetch.hpp"

// This header defines the parts that core/line.hpp needs, for a group of systems solved in
// lockstep, whose rows pass through tiles: blocks of rows, systems side by side.
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

/// Blocks of contiguous lines begin where cache lines do, if that is the same in all lines: vectors
/// are then loaded whole. Otherwise the last block is not too short for vectors.
template <class V>
core::blocks blocks_of(const group_batch& batch) {
  constexpr index_t size = packing<V>::parts * sizeof(typename packing<V>::scalar);
  constexpr index_t per_line = 64 / size;
  core::blocks cut{block_rows<V>, block_rows<V>};
  if (batch.x == nullptr || batch.g->lines[layout::x].step != 1) return cut;
  if (const index_t left = batch.rows % cut.size; batch.rows % per_line != 0) {
    if (batch.rows > cut.size && left > 0 && left < per_line) cut.first -= per_line - left;
    return cut;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(batch.x) / size + batch.line[layout::x][0];
  cut.first -= static_cast<index_t>(at % per_line);
  return cut;
}

/// A tile holds the rows of a block; the backward sweep needs one row more.
template <class V>
using tile = typename packing<V>::scalar[(block_rows<V> + 1) * packing<V>::reals];

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

/// Reads the rows of the matrices of a group.
template <class V>
class matrix_tiles {
 public:
  matrix_tiles(const group_batch& batch, const lane_group<V>& g, read_prefetch<V>& prefetch)
      : batch_(batch), group_(&g), prefetch_(prefetch) {}
  void use(const lane_group<V>& g) { group_ = &g; }

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 <= batch_.longest_pad && batch_.longest_pad > 0) {
      fetch_padded(k0, k1);
    } else {
      group_->in[layout::diag].load(diag_tile_, k0, k1, on_moved());
      fetch_off_diagonals(k0, k1);
    }
    if (batch_.g->conjugate) conjugate_tiles(k1 - k0);
    if (batch_.rows < 3 && batch_.g->corners != edge::absent) fold(k0, k1);
  }

  TRIDIA_FN core::row<V> get(index_t k) const {
    const index_t at = (k - k0_) * row;
    prefetch_.forward_row();
    return {packing<V>::load(sub_tile_ + at), packing<V>::load(diag_tile_ + at),
            packing<V>::load(sup_tile_ + at)};
  }

 private:
  using scalar = typename packing<V>::scalar;
  static constexpr index_t row = packing<V>::reals;

  void fetch_padded(index_t k0, index_t k1) {
    const bool last = k1 == batch_.rows;
    load_padded<V>(group_->in[layout::sub], group_->first, sub_tile_, k0, k1, 1, 0);
    load_padded<V>(group_->in[layout::diag], group_->first, diag_tile_, k0, k1, 0, 1);
    load_padded<V>(group_->in[layout::sup], group_->first, sup_tile_, k0, last ? k1 - 1 : k1, 0, 0);
    if (last) clear(sup_tile_ + (k1 - 1 - k0) * row);
  }

  /// Reads the first entry of sub and the last of sup only where the matrix has them.
  void fetch_off_diagonals(index_t k0, index_t k1) {
    const layout::geometry& g = *batch_.g;
    const strided_lanes_of<V>&sub = group_->in[layout::sub], &sup = group_->in[layout::sup];
    const index_t n = batch_.rows;
    const bool first = k0 == 0, last = k1 == n, whole = g.edges_readable;
    scalar* const last_row = sup_tile_ + (n - 1 - k0) * row;
    sub.load(sub_tile_ + (first && !whole ? row : 0), k0 + (first && !whole ? 1 : 0), k1,
             on_moved());
    sup.load(sup_tile_, k0, k1 - (last && !whole ? 1 : 0), on_moved());
    if (g.corners == edge::inside) return;
    if (first) g.corners == edge::absent ? clear(sub_tile_) : sub.load(sub_tile_, n, n + 1);
    if (last) g.corners == edge::absent ? clear(last_row) : sup.load(last_row, -1, 0);
  }

  auto on_moved() {
    return [this](int bytes) { prefetch_.moved(bytes); };
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
      const core::row<V> r = core::folded(get(k), k, batch_.rows);
      const index_t at = (k - k0) * row;
      packing<V>::store(r.sub, sub_tile_ + at);
      packing<V>::store(r.diag, diag_tile_ + at);
      packing<V>::store(r.sup, sup_tile_ + at);
    }
  }

  const group_batch& batch_;
  const lane_group<V>* group_;
  read_prefetch<V>& prefetch_;
  index_t k0_ = 0;
  alignas(64) tile<V> sub_tile_, diag_tile_, sup_tile_;
};

/// Reads the right-hand sides of a group.
template <class V>
class rhs_tiles {
 public:
  rhs_tiles(const group_batch& batch, const lane_group<V>& g, read_prefetch<V>& prefetch)
      : batch_(batch), group_(&g), prefetch_(prefetch) {}
  void use(const lane_group<V>& g) { group_ = &g; }

  void fetch(index_t k0, index_t k1) {
    k0_ = k0;
    if (k0 < batch_.longest_pad) {
      load_padded<V>(group_->in[layout::rhs], group_->first, tile_, k0, k1, 0, 0);
    } else {
      group_->in[layout::rhs].load(tile_, k0, k1, [this](int bytes) { prefetch_.moved(bytes); });
    }
    if (batch_.ends.first != nullptr) put_ends(k0, k1);
  }
  TRIDIA_FN V get(index_t k) const {
    return packing<V>::load(tile_ + (k - k0_) * packing<V>::reals);
  }

 private:
  void put_ends(index_t k0, index_t k1) {
    const index_t last = batch_.rows - 1;
    if (k0 == 0) load_ends<V>(batch_, *group_, batch_.ends.first, tile_);
    if (k0 <= last && last < k1) {
      load_ends<V>(batch_, *group_, batch_.ends.last, tile_ + (last - k0) * packing<V>::reals);
    }
  }

  const group_batch& batch_;
  const lane_group<V>* group_;
  read_prefetch<V>& prefetch_;
  index_t k0_ = 0;
  alignas(64) tile<V> tile_;
};

/// Writes the solutions of a group.
template <class V>
class solution_tiles {
 public:
  solution_tiles(const group_batch& batch, const lane_group<V>& g, read_prefetch<V>& prefetch)
      : batch_(batch), group_(&g), prefetch_(prefetch) {}
  void use(const lane_group<V>& g) { group_ = &g; }

  void open(index_t k0) {
    k0_ = k0;
    if (batch_.prefetch_for_write) write_prefetch_.lines_before(group_->x, k0, block_rows<V>);
  }
  TRIDIA_FN void put(index_t k, const V& v) {
    packing<V>::store(v, tile_ + (k - k0_) * packing<V>::reals);
    write_prefetch_.next();
    prefetch_.backward_row();
  }
  void flush(index_t k0, index_t k1) {
    if (k0 >= batch_.longest_pad) {
      group_->x.store(tile_, k0, k1, group_->live, batch_.nontemporal,
                      [this](int bytes) { prefetch_.moved(bytes); });
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

  const group_batch& batch_;
  const lane_group<V>* group_;
  read_prefetch<V>& prefetch_;
  write_prefetch<V> write_prefetch_;
  index_t k0_ = 0;
  alignas(64) tile<V> tile_;
};

/// Reads and writes a group of a batch through tiles; row_access does so in place.
template <class V>
struct tile_access {
  read_prefetch<V> prefetch;
  matrix_tiles<V> a;
  rhs_tiles<V> b;
  solution_tiles<V> x;
  tile_access(const group_batch& batch, const lane_group<V>& g)
      : a(batch, g, prefetch), b(batch, g, prefetch), x(batch, g, prefetch) {}
  void use(const lane_group<V>& g) { a.use(g), b.use(g), x.use(g); }
};

}  // namespace tridia::cpu::TRIDIA_ISA
