// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "entries.hpp"

namespace tridia_bench {

/// Describes an array f(i, j, k) = g(i) g(j) g(k), in C order, with g of some period. An operator
/// that acts on its lines along an axis gives h(i) g(j) g(k), where h is its result for g. So one
/// line, found by the reference, judges all.
struct product_field {
  index_t extents[3];
  index_t period;
  const double* factors[3];  // along each axis, `period` entries; g, or h along the axis

  [[nodiscard]] index_t size() const { return extents[0] * extents[1] * extents[2]; }
  [[nodiscard]] TRIDIA_BENCH_FN double at(index_t element) const {
    const index_t k = element % extents[2], rest = element / extents[2];
    return factors[0][rest / extents[1] % period] * factors[1][rest % extents[1] % period] *
           factors[2][k % period];
  }
};

}  // namespace tridia_bench
