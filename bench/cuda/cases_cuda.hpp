// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../report.hpp"
#include "../suite.hpp"
#include "cusparse_gtsv.hpp"

namespace tridia_bench {

/// Describes the current GPU.
machine_info cuda_machine();

/// Measures the best of the copy kernels, for four arrays read and for one, as rows and as
/// references for the cases.
void measure_cuda_floors(suite& s, bool again);

/// Adds the library's cases on the current GPU, and those of cuSPARSE.
void add_cuda_cases(suite& s);

/// Adds compact operators and solves with constant coefficients, beside a copy of the same field,
/// cuSPARSE and NEATO.
void add_cuda_derive(suite& s);

/// Adds gradients, divergences and Laplacians of a cube.
void add_cuda_differentials(suite& s, index_t points);

/// Adds the gradients of solves.
void add_cuda_backward(suite& s);

/// Adds lines that a kernel solves from coefficients that it makes.
void add_cuda_inside(suite& s);

}  // namespace tridia_bench
