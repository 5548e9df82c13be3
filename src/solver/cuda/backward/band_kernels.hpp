// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/backward/products.hpp"

#include <cuda_runtime_api.h>

namespace tridia::cuda {

using solver::band_count;
using solver::band_pass;
using solver::product_direction;
using solver::sum_blocks;

/// A thread takes at most so many rows of a line whose rows are neighbours.
inline constexpr int steps_of_group = 4;

/// Describes the launch that forms products: lanes of warps run along `direction`.
struct band_launch {
  product_direction direction;
  sum_blocks blocks;
  int group = 1;               // rows: so many threads, a power of two, take rows of one line
  int rows_of_group = 1;       // rows: the number of these rows
  index_t rows_of_thread = 1;  // kept: a thread walks along so many rows
};
/// `usual_rows` is the number of rows that most lines have.
band_launch plan_bands(const band_pass& pass, index_t usual_rows);

/// Forms the products of a pass, and adds up its partial sums, which lie at `partial`.
cudaError_t launch_bands(value_type type, const band_pass& pass, const band_launch& how,
                         const solver::product_operands& o, void* partial, cudaStream_t stream);

}  // namespace tridia::cuda
