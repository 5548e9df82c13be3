// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "line_operator/cuda/scan.hpp"

#include <cuda_runtime_api.h>

#include <vector>

// These kernels apply operators that the scan kernels do not take, one step after another: B is
// written into separate memory, a plan solves with A there, and the result is scaled, or added.
// Each thread computes one element at a time.
namespace tridia::compact {

/// Holds the weights of one row; `first` counts from the line's first point, or, inside, from the
/// row's own. A count of 0 means that the right-hand side is prescribed, as number `begin` of those
/// that are.
struct plain_row {
  int first, count, begin;  // in the weights
};

/// Holds B of one operator, in memory of the device: the interior's row, then heads, then tails.
template <class V>
struct plain_stencil {
  const plain_row* rows;
  const V* weights;
  const V* scale;  // of rows of `out`; null: 1
  index_t points, count;
  int heads, tails;
  bool cyclic, interleaved;  // interleaved: rows of the workspace hold neighbouring lines
};

struct plain_launches {
  /// Applies B, or finishes; `stencil` points to a plain_stencil of the type.
  cudaError_t (*stencil)(const layout::geometry&, const void* stencil, const void* in,
                         const void* prescribed, void* to, cudaStream_t);
  cudaError_t (*finish)(const layout::geometry&, const void* stencil, const void* from, void* out,
                        double s, bool accumulate, cudaStream_t);
};
/// Returns the launches for float or double.
template <class V>
plain_launches plain_kernels();

}  // namespace tridia::compact
