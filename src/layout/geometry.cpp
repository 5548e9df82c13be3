// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "layout/geometry.hpp"

#include "layout/join_axes.hpp"
#include "layout/line_status.hpp"
#include "layout/resolve.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tridia::layout {
namespace {

index_t reach(const axis& a) {
  index_t sum = 0;
  for (int k = 0; k <= x; ++k) sum += std::abs(a.stride[k]);
  return sum;
}

/// Sorts axes, the fastest one last, and joins neighbours.
axes collapse(std::vector<axis> list) { return sort_axes(std::move(list), reach); }

/// Separates the axes of the batch: those of the matrices, and those along which only the
/// right-hand side changes.
void split_axes(const resolved& r, geometry& g) {
  std::vector<axis> matrices, right_sides;
  index_t status_stride = 1;
  for (int k = static_cast<int>(r.out.extents.size()); k-- > 0;) {
    if (k == r.axis) continue;
    const index_t extent = r.out.extents[k];
    // With A^T, sub and sup change places, which matters here only for which array is which.
    axis a{extent,
           {r.in[dl].strides[k], r.in[d].strides[k], r.in[du].strides[k], r.in[rhs_in].strides[k],
            r.out.strides[k], k == 0 ? 0 : status_stride}};
    if (k > 0) status_stride *= extent;
    if (extent == 1) continue;
    const bool own = a.stride[sub] != 0 || a.stride[diag] != 0 || a.stride[sup] != 0;
    (own ? matrices : right_sides).push_back(a);
  }
  std::reverse(matrices.begin(), matrices.end());
  std::reverse(right_sides.begin(), right_sides.end());
  g.matrices = collapse(std::move(matrices));
  g.right_sides = collapse(std::move(right_sides));
}

/// Sets the axes of a ragged batch: of its systems, which may lie along an axis of the arrays, and
/// of their right-hand sides.
void set_ragged_axes(const problem& p, const resolved& r, geometry& g) {
  axis systems{r.systems, {0, 0, 0, 0, 0, 1}};
  const resolved_array* const arrays[] = {&r.in[dl], &r.in[d], &r.in[du], &r.in[rhs_in], &r.out};
  for (int a = 0; a <= x; ++a) {
    if (p.ragged_layout == ragged_layout::padded)
      systems.stride[a] = arrays[a]->strides[3 - r.axis];
    if (p.ragged_layout == ragged_layout::packed) systems.stride[a] = arrays[a]->strides[r.axis];
  }
  g.concatenated = p.ragged_layout == ragged_layout::concatenated;
  g.matrices = {1, r.systems, {systems}};
  g.right_sides = {
      1,
      p.right_hand_sides,
      {axis{p.right_hand_sides, {0, 0, 0, r.in[rhs_in].strides[0], r.out.strides[0], 0}}}};
}

/// Turns the origins of a packed batch's off-diagonals, which count rows, into rows and elements.
/// An off-diagonal of n - 1 entries begins where row 1 of a whole one would, less all of its row 0.
void set_packed_rows(const problem& p, geometry& g) {
  const bool transposed = p.operation != operation::none;
  index_t of_row_0 = 0;
  for (std::size_t k = 1; p.short_off_diagonals && k < p.offsets.size(); ++k) {
    if (p.offsets[k] > p.offsets[k - 1]) ++of_row_0;
  }
  const int of_dl = transposed ? sup : sub, of_du = transposed ? sub : sup;
  g.first_row[of_dl] = transposed ? 1 : 0;
  g.first_row[of_du] = (transposed ? -1 : 0) + (p.short_off_diagonals ? 1 : 0);
  for (const int a : {of_dl, of_du}) g.lines[a].origin = -of_row_0 * g.lines[a].step;
}

void swap_off_diagonals(axes& list) {
  for (int k = 0; k < list.count; ++k) std::swap(list.at[k].stride[sub], list.at[k].stride[sup]);
}

}  // namespace

geometry make_geometry(const problem& p, const resolved& r) {
  geometry g{};
  g.rows = r.rows;
  g.conjugate = p.operation == operation::conjugate_transpose;
  const bool transposed = p.operation != operation::none;
  const bool periodic = p.boundary == boundary::periodic;
  g.corners = !periodic ? edge::absent : transposed ? edge::wrapped : edge::inside;

  g.edges_readable = !transposed && !p.short_off_diagonals;
  const index_t dl_step = r.in[dl].strides[r.axis], du_step = r.in[du].strides[r.axis];
  // A(k, k-1) is dl[k], or dl[k-1] of n - 1 entries; A^T(k, k-1) is du[k-1], A^T(k, k+1) dl[k+1].
  const index_t dl_origin = p.short_off_diagonals ? -dl_step : 0;
  g.lines[sub] = transposed ? along{-du_step, du_step} : along{dl_origin, dl_step};
  g.lines[sup] = transposed ? along{dl_origin + dl_step, dl_step} : along{0, du_step};
  g.lines[diag] = {0, r.in[d].strides[r.axis]};
  g.lines[rhs] = {0, r.in[rhs_in].strides[r.axis]};
  g.lines[x] = {0, r.out.strides[r.axis]};

  if (p.offsets.empty()) {
    split_axes(r, g);
  } else {
    set_ragged_axes(p, r, g);
  }
  if (p.ragged_layout == ragged_layout::packed) set_packed_rows(p, g);
  if (transposed) {
    swap_off_diagonals(g.matrices);
    swap_off_diagonals(g.right_sides);
  }
  return g;
}

geometry broadcast_matrices(const geometry& g) {
  geometry all = g;
  const bool own_statuses = shares_status(g);
  std::vector<axis> list;
  index_t lines = 1;
  const auto add = [&](const axes& from, bool broadcast) {
    for (int k = from.count; k-- > 0;) {
      axis a = from.at[k];
      if (broadcast) a.stride[sub] = a.stride[diag] = a.stride[sup] = 0;
      if (own_statuses) a.stride[status] = lines;
      lines *= a.extent;
      list.push_back(a);
    }
  };
  add(g.right_sides, true);
  add(g.matrices, false);
  std::reverse(list.begin(), list.end());
  all.matrices = collapse(std::move(list));
  all.right_sides = {0, 1, {}};
  return all;
}

index_t outer_right_sides(const geometry& g) {
  index_t sides = 1;
  for (int k = 0; k < g.matrices.count; ++k) {
    const axis& a = g.matrices.at[k];
    if (a.stride[sub] != 0 || a.stride[diag] != 0 || a.stride[sup] != 0) return sides;
    sides *= a.extent;
  }
  return 1;
}

axes joined(const axes& list) {
  return join_axes(std::vector<axis>(list.at, list.at + list.count), status);
}

axes_of<1> axes_in(const axes& list, array a) {
  axes_of<1> out{list.count, list.size, {}};
  for (int k = 0; k < list.count; ++k) out.at[k] = {list.at[k].extent, {list.at[k].stride[a]}};
  return out;
}

bool is_interleaved(const geometry& g) {
  if (g.matrices.count == 0) return false;
  const axis& fastest = g.matrices.at[g.matrices.count - 1];
  return std::abs(fastest.stride[rhs]) < std::abs(g.lines[rhs].step);
}

}  // namespace tridia::layout
