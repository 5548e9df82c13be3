// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "layout/strided_lines.hpp"

// These types store what elimination keeps of each row. Where a row's values lie, a type `Values`
// says, which has
//
//   value                          the type of one
//   store(k, w, value), load(k, w) value w of row k
namespace tridia::layout {

/// Stores values at any strides: value w of row k is at base[k * row_step + w * value_step].
template <class V>
struct row_values {
  using value = V;
  V* base;
  index_t row_step, value_step;

  TRIDIA_FN void store(index_t k, int w, const V& v) const {
    base[k * row_step + w * value_step] = v;
  }
  TRIDIA_FN V load(index_t k, int w) const { return base[k * row_step + w * value_step]; }
};

/// Stores a part of row k, which has `Count` values, as value `first` and those after it.
template <int Count, class Values, class Part>
TRIDIA_FN void put_part(const Values& at, index_t k, int first, const Part& part) {
  typename Values::value w[Count];
  part.put(w);
  for (int i = 0; i < Count; ++i) at.store(k, first + i, w[i]);
}
template <int Count, class Values, class Part>
TRIDIA_FN void get_part(const Values& at, index_t k, int first, Part& part) {
  typename Values::value w[Count];
  for (int i = 0; i < Count; ++i) w[i] = at.load(k, first + i);
  part.get(w);
}

/// Stores what a fused solve keeps: row k of U, and y.
template <class Values, class E>
struct kept_rows_in {
  Values at;
  TRIDIA_FN void put(index_t k, const typename E::upper& u, const typename Values::value& y) const {
    put_part<E::upper_values>(at, k, 1, u);
    at.store(k, 0, y);
  }
  TRIDIA_FN typename Values::value get(index_t k, typename E::upper& u) const {
    get_part<E::upper_values>(at, k, 1, u);
    return at.load(k, 0);
  }
};
template <class V, class E>
using kept_rows = kept_rows_in<row_values<V>, E>;

/// Stores what factoring once keeps: row k of L and of U.
template <class Values, class E>
struct factor_rows_in {
  Values at;
  TRIDIA_FN void put(index_t k, const typename E::lower& l, const typename E::upper& u) const {
    put_part<E::lower_values>(at, k, 0, l);
    put_part<E::upper_values>(at, k, E::lower_values, u);
  }
  TRIDIA_FN void get_lower(index_t k, typename E::lower& l) const {
    get_part<E::lower_values>(at, k, 0, l);
  }
  TRIDIA_FN void get_upper(index_t k, typename E::upper& u) const {
    get_part<E::upper_values>(at, k, E::lower_values, u);
  }
};
template <class V, class E>
using factor_rows = factor_rows_in<row_values<V>, E>;

/// Stores y of a substitution where x will be.
template <class V, class E, class Rows = even_rows>
struct kept_in_place {
  const factor_rows<V, E>& factors;
  strided_solution<V, Rows>& x;
  TRIDIA_FN void put(index_t k, V y) { x.put(k, y); }
  TRIDIA_FN V y(index_t k) const { return x.get(k); }
  TRIDIA_FN V get(index_t k, typename E::upper& u) const {
    factors.get_upper(k, u);
    return y(k);
  }
};

/// Holds the numbers of values per row of workspace and of factors, the same for every length of a
/// ragged batch.
template <class V, pivoting P, boundary B>
struct value_counts {
  using elimination = core::elimination<V, P, B>;
  static constexpr int kept = elimination::upper_values + 1;
  static constexpr int factors = elimination::lower_values + elimination::upper_values;
};

/// Calls f(elimination) for a system of n >= 1 rows: a periodic one of fewer than three is solved
/// as a regular one.
template <class V, pivoting P, boundary B, class F>
TRIDIA_FN void with_elimination(index_t n, F f) {
  if constexpr (B == boundary::periodic) {
    if (n < 3) return f(core::elimination<V, P, boundary::regular>{});
  }
  f(core::elimination<V, P, B>{});
}

/// Returns the status that says why a matrix has no finite factors.
template <class V, class E, class Matrix>
TRIDIA_FN index_t matrix_status(index_t n, Matrix& a) {
  index_t status = -1;
  core::zero_rhs<V> zero;
  core::diagnose_line<V, E>(n, {n, n}, a, zero, true, [&](int, index_t s) { status = s; });
  return status;
}

}  // namespace tridia::layout
