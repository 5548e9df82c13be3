// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../systems.hpp"

#include <cuda_runtime.h>

namespace tridia_bench {

/// Describes implicit steps of a diffusion along lines, contiguous or interleaved. Row k of a line
/// has the off-diagonals -K[k] and -K[k+1] (0 at its ends) and the diagonal 1 + K[k] + K[k+1].
struct diffusion_lines {
  tridia_bench::layout layout;
  int n, batch;
};
inline constexpr int tracers = 4;

/// Makes K, between 0 and 2, and u, random numbers that `seed` determines.
cudaError_t launch_diffusivities(std::size_t count, std::uint64_t seed, double* k,
                                 cudaStream_t stream);
/// Writes the matrix and the right-hand sides of a step.
cudaError_t launch_write_rows(const diffusion_lines& l, const double* u, const double* k,
                              double* dl, double* d, double* du, double* rhs, cudaStream_t stream);

/// Take a step inside a kernel: x from u and K, as inputs or as threads read them; from u and one
/// K[n] for all lines; of `tracers` fields u, one after another, that share K.
cudaError_t launch_step(const diffusion_lines& l, const double* u, const double* k, double* x,
                        cudaStream_t stream);
cudaError_t launch_step_from_memory(const diffusion_lines& l, const double* u, const double* k,
                                    double* x, cudaStream_t stream);
cudaError_t launch_profile_step(const diffusion_lines& l, const double* u, const double* k,
                                double* x, cudaStream_t stream);
cudaError_t launch_tracer_step(const diffusion_lines& l, const double* u, const double* k,
                               double* x, cudaStream_t stream);
/// Solves systems whose rows lie in memory.
cudaError_t launch_loaded(const diffusion_lines& l, const double* dl, const double* d,
                          const double* du, const double* rhs, double* x, cudaStream_t stream);

/// Raises `*worst`, which is 0 at first, to the largest |a - b|; a value that is not finite gives
/// infinity.
cudaError_t launch_compare(std::size_t count, const double* a, const double* b, double* worst,
                           cudaStream_t stream);

}  // namespace tridia_bench
