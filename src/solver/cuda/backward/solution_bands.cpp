// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/backward/solution_bands.hpp"

#include "layout/line_status.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {
namespace {

constexpr index_t widest_group = 32;  // a warp

using solver::product_array;

/// Returns whether matrix i of the solve is point i of the pass, wherever its y lies.
bool are_numbered_alike(const layout::axes& matrices, const solver::product_axes& kept, int y) {
  if (matrices.count != kept.count) return false;
  for (int k = 0; k < kept.count; ++k) {
    if (matrices.at[k].extent != kept.at[k].extent ||
        matrices.at[k].stride[layout::x] != kept.at[k].stride[y]) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<solution_bands> bands_of_solution(const solver::task& adjoint,
                                                const solver::band_pass& pass, bool y_is_u) {
  const layout::geometry& g = adjoint.geometry;
  const int y = y_is_u ? solver::u_array : solver::v_array, x = solver::v_array - y;
  if (g.right_sides.size != 1 || !adjoint.ragged.empty() || layout::shares_status(g)) return {};
  if (pass.summed.size != 1 || pass.rows_summed || pass.rows != g.rows) return {};
  if (!are_numbered_alike(g.matrices, pass.kept, y)) return {};

  const auto lanes = static_cast<unsigned>(std::clamp<index_t>(g.rows, 1, widest_group));
  solution_bands b{pass, y_is_u, static_cast<int>(std::bit_ceil(lanes)), {}, {}};
  b.matrices.count = pass.kept.count, b.matrices.size = pass.kept.size;
  for (int a = 0; a < band_array_count; ++a) {
    const int of_pass = a == forward_x ? x : solver::array_of(a - first_gradient);
    b.lines[a] = pass.lines[of_pass];
    for (int k = 0; k < pass.kept.count; ++k) {
      b.matrices.at[k].extent = pass.kept.at[k].extent;
      b.matrices.at[k].stride[a] = pass.kept.at[k].stride[of_pass];
    }
  }
  return b;
}

}  // namespace tridia::cuda
