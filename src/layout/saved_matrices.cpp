// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "layout/saved_matrices.hpp"

namespace tridia::layout {
namespace {

constexpr array entries[] = {sub, diag, sup};

}  // namespace

geometry with_dense_matrices(geometry g) {
  const bool interleaved = is_interleaved(g);
  axes& all = g.matrices;
  const index_t beside = interleaved ? all.at[all.count - 1].extent : 1;
  index_t stride = g.rows * beside;
  for (int k = all.count; k-- > 0;) {
    const bool lane = interleaved && k == all.count - 1;
    for (const array a : entries) all.at[k].stride[a] = lane ? 1 : stride;
    if (!lane) stride *= all.at[k].extent;
  }
  for (const array a : entries) g.lines[a] = {0, beside};
  if (g.corners != edge::absent) g.corners = edge::inside;
  g.edges_readable = true;
  g.conjugate = false;  // the copies are
  return g;
}

geometry with_diagonals_as_rhs(geometry g) {
  g.right_sides = {0, 1, {}};
  index_t stride = 1;
  for (int k = g.matrices.count; k-- > 0;) {
    axis& a = g.matrices.at[k];
    a.stride[rhs] = a.stride[x] = a.stride[diag];
    a.stride[status] = stride;
    stride *= a.extent;
  }
  g.lines[rhs] = g.lines[x] = g.lines[diag];
  return g;
}

}  // namespace tridia::layout
