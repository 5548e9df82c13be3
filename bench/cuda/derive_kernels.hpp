// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../derive.hpp"

#include <cuda_runtime.h>

namespace tridia_bench {

/// out = f.
cudaError_t launch_fill(const product_field& f, double* out, cudaStream_t stream);
/// The largest |x - f| goes into `*worst`, which begins as 0; what is not finite gives infinity.
cudaError_t launch_judge(const product_field& f, const double* x, double* worst,
                         cudaStream_t stream);

/// What a user of a general solver has beside it: the matrix of every line, of lines that follow
/// each other,
cudaError_t launch_matrices(const stencil_rows& rows, index_t lines, double* dl, double* d,
                            double* du, cudaStream_t stream);
/// before every solve the right-hand sides, where the points of a line are `step` elements apart
/// and as many lines lie side by side,
cudaError_t launch_right_sides(const stencil_rows& rows, index_t lines, index_t step,
                               const double* f, double* to, cudaStream_t stream);
/// and, where a solver wants lines one after another, what permutes them: `count` matrices of rows
/// x columns, one after another, to columns x rows.
cudaError_t launch_transpose(index_t count, index_t rows, index_t columns, const double* from,
                             double* to, cudaStream_t stream);

}  // namespace tridia_bench
