// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/backward/band_products.hpp"

namespace tridia::cuda {

/// Holds the sums of a row's three bands.
template <class V>
struct band_values {
  V at[solver::band_count] = {V(0), V(0), V(0)};

  /// Adds the products of a row of u and three rows of v.
  __device__ __forceinline__ void add(V u, V before, V here, V after) {
    at[solver::sub_band] = at[solver::sub_band] + solver::band_product(u, before);
    at[solver::diag_band] = at[solver::diag_band] + solver::band_product(u, here);
    at[solver::sup_band] = at[solver::sup_band] + solver::band_product(u, after);
  }
};

}  // namespace tridia::cuda
