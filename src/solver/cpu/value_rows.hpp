// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"
#include "tridia/types.hpp"

// These types store what elimination keeps of each row of a group.
namespace tridia::cpu::TRIDIA_ISA {

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
