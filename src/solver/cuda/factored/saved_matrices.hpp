// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

#include <cuda_runtime_api.h>

#include <memory>

namespace tridia::cuda {

/// Makes a method whose saved factors are the matrices themselves, dense and in the order in which
/// the kernels of `partition` read them best: these take as long as a copy of what they move, so
/// that factors would save nothing. Returns null for ragged batches, and where other methods are
/// quicker: one matrix whose right-hand sides are solved by a scan or on chip.
std::unique_ptr<const factored_method> make_saved_matrices(const task&, const device_limits&);

/// Copies matrices to where `to` has them: sub, diag and sup, `pitch` elements apart. What is not
/// in the matrix becomes zero, the corners of a periodic one come to lie inside.
cudaError_t launch_copy_matrices(value_type, const geometry& from, const operands&,
                                 const geometry& to, void* copies, index_t pitch, cudaStream_t);

}  // namespace tridia::cuda
