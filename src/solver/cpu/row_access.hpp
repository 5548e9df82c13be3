// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "solver/cpu/lane_group.hpp"

// This header defines the parts that core/line.hpp needs where systems are neighbours in memory: a
namespace tridia::cpu::TRIDIA_ISA {

using layout::edge;

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
TRIDIA_FN void store_neighbours(const V& v, typename packing<V>::scalar* p, bool nontemporal) {
  using part = typename packing<V>::part;
  using scalar = typename part::scalar;
  constexpr int w = part::width;
#pragma GCC unroll 8
  for (int i = 0; i < part::count / w; ++i, p += packing<V>::parts * w) {
    if constexpr (packing<V>::parts == 1) {
      put_vector<scalar, w>(p, native(v.v[i]), nontemporal);
    } else {
      const auto a = native(v.re.v[i]), b = native(v.im.v[i]);
      put_vector<scalar, w>(p, low_pairs(a, b), nontemporal);
      put_vector<scalar, w>(p + w, high_pairs(a, b), nontemporal);
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
template <class Lanes>
TRIDIA_FN void prefetch_rows(const Lanes& p, index_t k0, index_t k1, index_t rows) {
  if (!p.in_one_piece()) return;
  for (index_t k = k0 > 0 ? k0 : 0; k < k1 && k < rows; ++k) {
    for (int i = 0; i < Lanes::row_reals; i += Lanes::per_cache_line) {
      __builtin_prefetch(p.row(k) + i, 0, 2);
    }
  }
}

/// Reads the rows of the matrices of a group.
template <class V>
class matrix_rows {
 public:
  matrix_rows(const group_batch& batch, const lane_group<V>& g) : batch_(batch), group_(&g) {}
  void use(const lane_group<V>& g) { group_ = &g; }
  void fetch(index_t, index_t) {}
  TRIDIA_FN core::row<V> get(index_t k) const {
    const index_t n = batch_.rows;
    core::row<V> r{off_diagonal(layout::sub, k, k == 0, n),
                   load_row<V>(group_->in[layout::diag], k),
                   off_diagonal(layout::sup, k, k == n - 1, -1)};
    if (batch_.g->conjugate) r = {conjugate(r.sub), conjugate(r.diag), conjugate(r.sup)};
    if (n < 3 && batch_.g->corners != edge::absent) r = core::folded(r, k, n);
    return r;
  }

 private:
  /// Reads an entry beyond an end only where the matrix has it.
  TRIDIA_FN V off_diagonal(layout::array a, index_t k, bool end, index_t wrapped) const {
    if (end && batch_.g->corners != edge::inside) {
      return batch_.g->corners == edge::absent ? V(0) : load_row<V>(group_->in[a], wrapped);
    }
    return load_row<V>(group_->in[a], k);
  }

  const group_batch& batch_;
  const lane_group<V>* group_;
};

/// Reads the right-hand sides of a group.
template <class V>
class rhs_rows {
 public:
  rhs_rows(const group_batch& batch, const lane_group<V>& g) : batch_(batch), group_(&g) {}
  void use(const lane_group<V>& g) { group_ = &g; }
  void fetch(index_t, index_t) {}
  TRIDIA_FN V get(index_t k) const {
    if (batch_.ends.first != nullptr && (k == 0 || k == batch_.rows - 1)) return end(k);
    return load_row<V>(group_->in[layout::rhs], k);
  }

 private:
  __attribute__((noinline)) V end(index_t k) const {
    alignas(64) typename packing<V>::scalar row[packing<V>::reals];
    load_ends<V>(batch_, *group_, k == 0 ? batch_.ends.first : batch_.ends.last, row);
    return packing<V>::load(row);
  }

  const group_batch& batch_;
  const lane_group<V>* group_;
};

/// Writes the solutions of a group.
template <class V>
class solution_rows {
 public:
  solution_rows(const group_batch& batch, const lane_group<V>& g) : batch_(batch), group_(&g) {}
  void use(const lane_group<V>& g) { group_ = &g; }
  void open(index_t) {}
  void flush(index_t, index_t) {}
  TRIDIA_FN void put(index_t k, const V& v) const {
    if (group_->live == packing<V>::count && group_->x.in_one_piece()) {
      store_neighbours(v, group_->x.row(k), batch_.nontemporal);
      return;
    }
    alignas(64) typename packing<V>::scalar row[packing<V>::reals];
    packing<V>::store(v, row);
    group_->x.store(row, k, k + 1, group_->live, batch_.nontemporal);
  }

 private:
  const group_batch& batch_;
  const lane_group<V>* group_;
};

/// Reads and writes a group of a batch in place; tile_access does so through tiles.
template <class V>
struct row_access {
  matrix_rows<V> a;
  rhs_rows<V> b;
  solution_rows<V> x;
  row_access(const group_batch& batch, const lane_group<V>& g)
      : a(batch, g), b(batch, g), x(batch, g) {}
  void use(const lane_group<V>& g) { a.use(g), b.use(g), x.use(g); }
};

}  // namespace tridia::cpu::TRIDIA_ISA
