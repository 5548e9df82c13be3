// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/backward/band_products.hpp"

namespace tridia::cpu {

using solver::band_count;
using solver::band_pass;

/// Describes numbers at a stride.
template <class V>
struct strided {
  V* base;
  index_t step;
};

/// Describes products -u v of `count` neighbours along some axis.
template <class V>
struct strip {
  index_t count;
  bool conjugate_u, conjugate_v;
  strided<const V> u, v;
};

/// Sets (Add: adds) to[i] = -u[i] v[i]. Unit: all steps are 1, and the loop becomes vectors.
template <class V, bool Add, bool Unit>
void put_products(const strip<V>& s, const strided<V>& to) {
  const V* const u = s.u.base;
  const V* const v = s.v.base;
  V* const out = to.base;
  const index_t su = Unit ? 1 : s.u.step, sv = Unit ? 1 : s.v.step, so = Unit ? 1 : to.step;
  const bool cu = s.conjugate_u, cv = s.conjugate_v;
#pragma omp simd
  for (index_t i = 0; i < s.count; ++i) {
    const V p = solver::band_product(solver::conjugated_if(cu, u[i * su]),
                                     solver::conjugated_if(cv, v[i * sv]));
    if constexpr (Add) {
      out[i * so] = out[i * so] + p;
    } else {
      out[i * so] = p;
    }
  }
}

template <class V>
void put_products(const strip<V>& s, const strided<V>& to, bool add) {
  const bool unit = s.u.step == 1 && s.v.step == 1 && to.step == 1;
  if (add) {
    unit ? put_products<V, true, true>(s, to) : put_products<V, true, false>(s, to);
  } else {
    unit ? put_products<V, false, true>(s, to) : put_products<V, false, false>(s, to);
  }
}

/// Returns the sum of -u[i] v[i], in `ways` sums beside each other that become vectors.
template <class V>
V sum_products(const strip<V>& s) {
  constexpr int ways = 8;
  V sums[ways];
  for (V& sum : sums) sum = V(0);
  const V* u = s.u.base;
  const V* v = s.v.base;
  index_t i = 0;
  for (; i + ways <= s.count; i += ways, u += ways * s.u.step, v += ways * s.v.step) {
    for (int w = 0; w < ways; ++w)
      sums[w] =
          sums[w] + solver::band_product(solver::conjugated_if(s.conjugate_u, u[w * s.u.step]),
                                         solver::conjugated_if(s.conjugate_v, v[w * s.v.step]));
  }
  for (; i < s.count; ++i, u += s.u.step, v += s.v.step)
    sums[0] = sums[0] + solver::band_product(solver::conjugated_if(s.conjugate_u, *u),
                                             solver::conjugated_if(s.conjugate_v, *v));
  V sum = sums[0];
  for (int w = 1; w < ways; ++w) sum = sum + sums[w];
  return sum;
}

}  // namespace tridia::cpu
