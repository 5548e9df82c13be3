// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tensor_layout.hpp"
#include "solver/cuda/partition/interleaved.hpp"
#include "solver/cuda/partition/onchip.hpp"

#include <cstddef>
#include <optional>

// These functions describe the boxes that hold the arrays of a problem.
namespace tridia::cuda {

using namespace gpu;

/// Describes the array `data` of interleaved systems, from its first row that is read: `sub` from
/// row 1 and `sup` up to row n - 2 where the matrix has nothing in the corners' place.
std::optional<tensor_layout> layout_of(const layout::geometry&, const interleaved_shape&,
                                       std::size_t size, layout::array, const void* data);
/// Describes the array `data` of systems in memory order, each in one piece.
std::optional<tensor_layout> layout_of(const layout::geometry&, const onchip_shape&,
                                       std::size_t size, layout::array, const void* data);

/// Returns whether neighbouring systems share the entries of an array, as they do where a matrix is
/// broadcast: no box holds these.
template <int Inputs, int Outputs>
TRIDIA_FN bool is_shared(const layout::geometry_of<Inputs, Outputs>& g, int a) {
  return a <= layout::sup && g.matrices.count > 0 &&
         g.matrices.at[g.matrices.count - 1].stride[a] == 0;
}

/// Returns whether boxes move an input.
inline bool is_boxed(const layout::geometry& g, const interleaved_shape&, layout::array a) {
  return !is_shared(g, a);
}
inline bool is_boxed(const layout::geometry&, const onchip_shape&, layout::array) { return true; }

/// Returns whether the shape lets boxes move the inputs, if every array is aligned.
template <class Shape>
bool loads_boxes(const layout::geometry& g, const Shape& s, std::size_t size) {
  const auto* const aligned = reinterpret_cast<const void*>(std::size_t{1} << 20);
  bool all = s.boxes;
  for (const auto a : {layout::sub, layout::diag, layout::sup, layout::rhs}) {
    all = all && (!is_boxed(g, s, a) || layout_of(g, s, size, a, aligned).has_value());
  }
  return all;
}

}  // namespace tridia::cuda
