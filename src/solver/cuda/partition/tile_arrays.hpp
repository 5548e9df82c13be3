// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "core/line.hpp"
#include "core/values.hpp"
#include "solver/system.hpp"

#include <type_traits>

// Which arrays a tile brings in and takes out.
namespace tridia::cuda {

/// The arrays of a solve. Tiles (`tile`, `piece`, `interleaved_tile`) are templates on such a
/// class: of its geometry they take the numbers of inputs and outputs; the inputs are `sub`,
/// `diag`, `sup` and any more; output j leaves from the place that input `place(j)` had in the
/// tile. A kernel that reads and writes other arrays brings a class of its own.
template <class V>
struct solve_arrays {
  using geometry = layout::geometry;
  using operands = solver::typed_operands<V>;

  static TRIDIA_FN V* output(const operands& o, int) { return o.x; }
  static TRIDIA_FN constexpr int place(int) { return layout::rhs; }
};

/// The arrays of a solve with `Sides` right-hand sides of each matrix: the rows of these, and their
/// x, are arrays of their own.
template <class V, int Sides>
struct sided_arrays {
  static constexpr int sides = Sides;
  using geometry = layout::geometry_of<layout::rhs + Sides, Sides>;
  struct operands {
    const V* in[geometry::inputs];
    V* x[Sides];
  };

  static TRIDIA_FN V* output(const operands& o, int side) { return o.x[side]; }
  static TRIDIA_FN constexpr int place(int side) { return layout::rhs + side; }
};

/// Says whether neighbouring systems of a tile may have one copy of the matrix that they share.
template <class Arrays>
inline constexpr bool may_share_matrix = requires {
  requires Arrays::sides >
  1;
};

template <class V, int Sides>
using arrays_of_sides = std::conditional_t<Sides == 1, solve_arrays<V>, sided_arrays<V, Sides>>;

/// Makes of row k as it was read what a solve takes: it may have to be conjugated, or folded.
template <class V, class Geometry>
__device__ void mend_row(const Geometry& g, index_t k, V& sub, V& diag, V& sup) {
  core::row<V> r{sub, diag, sup};
  if (g.conjugate) r = {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
  if (g.corners != layout::edge::absent && g.rows < 3) r = core::folded(r, k, g.rows);
  sub = r.sub, diag = r.diag, sup = r.sup;
}

/// Names what stands in the place of a number where a matrix has `Sides` right-hand sides.
template <class V, int Sides>
using side_values = std::conditional_t<Sides == 1, V, core::values<V, Sides>>;

/// Loads the numbers of a row's right-hand sides, which lie `pitch` elements apart.
template <class V, int Sides>
__device__ __forceinline__ side_values<V, Sides> load_sides(const V* at, int pitch) {
  if constexpr (Sides == 1) {
    return *at;
  } else {
    return core::values<V, Sides>::filled([&](int i) { return at[i * pitch]; });
  }
}
template <class V>
__device__ __forceinline__ void store_sides(const V& v, V* at, int) {
  *at = v;
}
template <class V, int Sides>
__device__ __forceinline__ void store_sides(const core::values<V, Sides>& v, V* at, int pitch) {
#pragma unroll
  for (int i = 0; i < Sides; ++i) at[i * pitch] = v.at[i];
}

}  // namespace tridia::cuda
