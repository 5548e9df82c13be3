// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/backward/products.hpp"

#include <cstdlib>
#include <limits>

namespace tridia::solver {
namespace {

index_t reach_of_fastest(const product_axes& a) {
  if (a.count == 0) return std::numeric_limits<index_t>::max();
  const auto& fastest = a.at[a.count - 1];
  return std::abs(fastest.stride[u_array]) + std::abs(fastest.stride[v_array]);
}

}  // namespace

product_direction direction_of(const band_pass& p) {
  const index_t rows = std::abs(p.lines[u_array].step) + std::abs(p.lines[v_array].step);
  const index_t kept = reach_of_fastest(p.kept), summed = reach_of_fastest(p.summed);
  if (p.ragged != nullptr || (rows <= kept && rows <= summed)) return product_direction::rows;
  return kept <= summed ? product_direction::kept : product_direction::summed;
}

sum_blocks cut_into_blocks(index_t points, index_t count) {
  const index_t blocks = std::clamp<index_t>(count, 1, std::max<index_t>(points, 1));
  const index_t each = std::max<index_t>((points + blocks - 1) / blocks, 1);
  return {std::max<index_t>((points + each - 1) / each, 1), each};
}

band_pass to_partial_sums(const band_pass& p) {
  band_pass sums = p;
  sums.edges_stored = true;
  index_t stride = p.rows;
  for (int k = p.kept.count; k-- > 0;) {
    for (int b = 0; b < band_count; ++b) sums.kept.at[k].stride[array_of(b)] = stride;
    stride *= p.kept.at[k].extent;
  }
  for (int b = 0; b < band_count; ++b) sums.lines[array_of(b)] = {0, 1};
  return sums;
}

}  // namespace tridia::solver
