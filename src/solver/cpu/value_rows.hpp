// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"
#include "layout/row_values.hpp"

// These types store what elimination keeps of each row of a group.
namespace tridia::cpu::TRIDIA_ISA {

/// Stores `Count` values a row, in the thread's memory or in factors.
template <class V, int Count>
class value_rows {
 public:
  using value = V;
  using scalar = typename packing<V>::scalar;
  static constexpr index_t row_reals = Count * packing<V>::reals;
  /// `pitch` is the distance from one row to the next.
  value_rows(const void* memory, index_t pitch = row_reals)
      : base_(static_cast<scalar*>(const_cast<void*>(memory))), pitch_(pitch) {}
  TRIDIA_FN void store(index_t k, int w, const V& v) const {
    packing<V>::store(v, base_ + k * pitch_ + w * packing<V>::reals);
  }
  TRIDIA_FN V load(index_t k, int w) const {
    return packing<V>::load(base_ + k * pitch_ + w * packing<V>::reals);
  }

  /// Prefetches all of row k, which need not be there.
  TRIDIA_FN void prefetch(index_t k) const {
    for (index_t i = 0; i < row_reals; i += 64 / static_cast<index_t>(sizeof(scalar))) {
      __builtin_prefetch(base_ + k * pitch_ + i, 0, 3);
    }
  }

 private:
  scalar* base_;
  index_t pitch_;
};

/// Loads values that every lane shares; kernels of one lane stored them.
template <class V, int Count>
class shared_value_rows {
 public:
  using value = V;
  shared_value_rows(const void* memory)
      : base_(static_cast<const typename packing<V>::scalar*>(memory)) {}
  TRIDIA_FN V load(index_t k, int w) const {
    return packing<V>::splat(base_ + (k * Count + w) * packing<V>::parts);
  }

 private:
  const typename packing<V>::scalar* base_;
};

template <class V, class E>
using kept_rows = layout::kept_rows_in<value_rows<V, E::upper_values + 1>, E>;
template <class V, class E>
using factor_rows = layout::factor_rows_in<value_rows<V, E::lower_values + E::upper_values>, E>;
template <class V, class E>
using shared_factor_rows =
    layout::factor_rows_in<shared_value_rows<V, E::lower_values + E::upper_values>, E>;

/// Gives substitution factors that may come from far memory: then the forward sweep prefetches the
/// whole of a row some rows before it reads it. Saved factors of short lines take half the time so.
template <class V, class E>
struct prefetched_factor_rows : factor_rows<V, E> {
  static constexpr index_t rows_ahead = 10;
  bool far;
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const {
    // A single lane's rows are shorter than cache lines.
    if constexpr (packing<V>::count > 1) {
      if (far) this->at.prefetch(k + rows_ahead);
    }
    factor_rows<V, E>::get_lower(k, l);
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
