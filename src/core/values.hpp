// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/unit_scale.hpp"
#include "core/value.hpp"

namespace tridia::core {

/// Holds N numbers V that one matrix belongs to: right-hand sides, or x of them. A chunk that takes
/// them in the place of a right-hand side (core/chunk.hpp) eliminates its matrix once for all of
/// them, and does with each of them what it would do with it alone.
template <class V, int N>
struct values {
  V at[N];

  values() = default;
  /// Converts an integer.
  TRIDIA_FN explicit values(int a) {
    for (V& v : at) v = V(a);
  }
  template <class F>
  TRIDIA_FN values map(F f) const {
    return filled([&](int i) { return f(at[i]); });
  }
  /// Returns f(0), f(1), ...
  template <class F>
  static TRIDIA_FN values filled(F f) {
    values r;
    TRIDIA_UNROLL
    for (int i = 0; i < N; ++i) r.at[i] = f(i);
    return r;
  }
};

template <class V, int N>
TRIDIA_FN values<V, N> operator*(const values<V, N>& a, const V& b) {
  return a.map([&](const V& v) { return v * b; });
}
template <class V, int N>
TRIDIA_FN values<V, N> operator*(const V& a, const values<V, N>& b) {
  return b.map([&](const V& v) { return a * v; });
}
/// Returns a + b c for each of a and c.
template <class V, int N>
TRIDIA_FN values<V, N> add_mul(const values<V, N>& a, const V& b, const values<V, N>& c) {
  return values<V, N>::filled([&](int i) { return add_mul(a.at[i], b, c.at[i]); });
}
template <class V, int N>
TRIDIA_FN values<V, N> sub_mul(const values<V, N>& a, const V& b, const values<V, N>& c) {
  return values<V, N>::filled([&](int i) { return sub_mul(a.at[i], b, c.at[i]); });
}
template <class V, int N>
TRIDIA_FN values<V, N> select(const mask_t<V>& m, const values<V, N>& a, const values<V, N>& b) {
  return values<V, N>::filled([&](int i) { return select(m, a.at[i], b.at[i]); });
}
template <class V, int N>
TRIDIA_FN values<V, N> scaled(const values<V, N>& a, const typename value_traits<V>::real& by) {
  return a.map([&](const V& v) { return scaled(v, by); });
}
template <class V, int N>
TRIDIA_FN auto is_finite(const values<V, N>& a) {
  auto good = is_finite(a.at[0]);
  TRIDIA_UNROLL
  for (int i = 1; i < N; ++i) good = good && is_finite(a.at[i]);
  return good;
}

}  // namespace tridia::core
