// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../derive.hpp"

#include <cuda_runtime.h>

namespace tridia_bench {

/// Computes out = f.
cudaError_t launch_fill(const product_field& f, double* out, cudaStream_t stream);
/// Raises `*worst`, which is 0 at first, to the largest |x - f|; a value that is not finite gives
/// infinity.
cudaError_t launch_judge(const product_field& f, const double* x, double* worst,
                         cudaStream_t stream);

/// This kernel, and the next two, are what a user of a general solver needs as well. It writes the
/// matrix of every line, for lines that follow each other.
cudaError_t launch_matrices(const stencil_rows& rows, index_t lines, double* dl, double* d,
                            double* du, cudaStream_t stream);
/// Before every solve, this one computes the right-hand sides, where the points of a line are
/// `step` elements apart and as many lines lie side by side.
cudaError_t launch_right_sides(const stencil_rows& rows, index_t lines, index_t step,
                               const double* f, double* to, cudaStream_t stream);
/// If a solver needs lines one after another, this one permutes them: it transposes `count`
/// matrices of rows x columns, one after another, to columns x rows.
cudaError_t launch_transpose(index_t count, index_t rows, index_t columns, const double* from,
                             double* to, cudaStream_t stream);

}  // namespace tridia_bench
