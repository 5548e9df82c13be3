// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tensor_map.hpp"
#include "solver/cuda/partition/boxes.hpp"
#include "solver/executor.hpp"

// The TMA of compute capability 9.0 needs these maps of arrays to move boxes of them.
namespace tridia::cuda {

/// Holds the maps of the arrays as (neighbouring systems, rows, other systems), or as (rows,
/// systems). Where neighbours are systems, the maps of `sub` and `sup` cover only the rows that
/// hold a number of the matrix in its place.
template <int Inputs, int Outputs>
struct tensor_maps_of {
  CUtensorMap in[Inputs], out[Outputs];
  bool input = false, output = false;  // whether it can be done
};
using tensor_maps = tensor_maps_of<layout::geometry::inputs, layout::geometry::outputs>;

/// Maps the arrays of interleaved systems, whose elements have `size` bytes. If an array cannot be
/// described, since its rows do not begin at multiples of 16 bytes or go backwards, the flag stays
/// false.
tensor_maps map_tensors(const layout::geometry&, const solver::operands&, const interleaved_shape&,
                        std::size_t size);
/// Maps the arrays of systems in memory order.
tensor_maps map_tensors(const layout::geometry&, const solver::operands&, const onchip_shape&,
                        std::size_t size);

}  // namespace tridia::cuda
