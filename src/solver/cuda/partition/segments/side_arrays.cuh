// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/segments/segments.hpp"
#include "solver/cuda/partition/tensor_maps.hpp"
#include "solver/cuda/partition/tile_arrays.hpp"

// The arrays of systems that have several right-hand sides each: every side is an array of its own,
// as far from the first one as `side_groups` says.
namespace tridia::cuda::segments {

using solver::typed_operands;

/// Holds the arrays that the passes over rows move, and how their systems lie.
template <class V, int Sides>
struct side_arrays {
  using arrays = arrays_of_sides<V, Sides>;
  using geometry = typename arrays::geometry;

  geometry g;
  typename arrays::operands o;
  tensor_maps_of<geometry::inputs, geometry::outputs> maps{};

  side_arrays(const operands& all, const side_groups& groups, const segments_shape& s)
      : g(of_all_sides(groups.first)), o(located(solver::typed<V>(all), groups)) {
    if (s.in_boxes) map_boxes(groups, s.of_rows);
  }

 private:
  using single = layout::geometry;

  /// Returns the array of a problem with one right-hand side that array `a` is like.
  static layout::array like(int a) {
    if (a < geometry::inputs) return static_cast<layout::array>(std::min<int>(a, layout::rhs));
    return a < geometry::inputs + geometry::outputs ? layout::x : layout::status;
  }
  static layout::axes_of<geometry::arrays> of_all_sides(const layout::axes& from) {
    layout::axes_of<geometry::arrays> to{from.count, from.size, {}};
    for (int k = 0; k < from.count; ++k) {
      to.at[k].extent = from.at[k].extent;
      for (int a = 0; a < geometry::arrays; ++a) to.at[k].stride[a] = from.at[k].stride[like(a)];
    }
    return to;
  }
  static geometry of_all_sides(const single& from) {
    if constexpr (Sides == 1) {
      return from;
    } else {
      geometry to{};
      to.rows = from.rows;
      for (int a = 0; a < geometry::arrays - 1; ++a) to.lines[a] = from.lines[like(a)];
      to.corners = from.corners, to.edges_readable = from.edges_readable;
      to.conjugate = from.conjugate;
      to.matrices = of_all_sides(from.matrices);
      to.right_sides = {0, 1, {}};
      return to;
    }
  }
  static typename arrays::operands located(const typed_operands<V>& all, const side_groups& s) {
    if constexpr (Sides == 1) {
      return all;
    } else {
      typename arrays::operands to{};
      for (int a = layout::sub; a <= layout::sup; ++a) to.in[a] = all.in[a];
      for (int side = 0; side < Sides; ++side) {
        to.in[layout::rhs + side] = all.in[layout::rhs] + s.offset(layout::rhs, side);
        to.x[side] = all.x + s.offset(layout::x, side);
      }
      return to;
    }
  }
  /// Maps the arrays, if the TMA can move all inputs, or all outputs.
  void map_boxes(const side_groups& s, const interleaved_shape& shape) {
    const auto map = [&](layout::array a, const void* data, CUtensorMap& to) {
      const auto box = layout_of(s.first, shape, sizeof(V), a, data);
      return box && encode(*box, to);
    };
    maps.input = maps.output = true;
    for (int a = 0; a < geometry::inputs; ++a) {
      const layout::array of = like(a);
      if (is_boxed(s.first, shape, of)) maps.input = maps.input && map(of, o.in[a], maps.in[a]);
    }
    for (int side = 0; side < Sides; ++side) {
      maps.output = maps.output && map(layout::x, arrays::output(o, side), maps.out[side]);
    }
  }
};

}  // namespace tridia::cuda::segments
