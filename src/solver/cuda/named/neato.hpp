// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/near_toeplitz_reduction.hpp"
#include "solver/cuda/method.hpp"

// NEATO is cyclic reduction of right-hand sides alone, with factors that a plan holds.
namespace tridia::cuda {

struct neato_shape {
  bool shared;               // a block a system; otherwise a kernel a stage
  bool interleaved;          // neighbours in memory are other systems
  int stages;                // until one row is left
  int threads;               // of a block
  std::size_t shared_bytes;  // of a block; 0 unless `shared`
  // These are in memory of the device, where the plan put them.
  const core::reduction_level* levels;
  const void* factors;  // core::reduction_factors
};

/// Plans the shape. Throws `unsupported` if shared memory is asked for and has no room for a
/// system.
neato_shape plan_neato(const task&, std::size_t shared_bytes);

struct neato_launches {
  cudaError_t (*prepare)(std::size_t shared_bytes);
  /// Launches the kernels. Unless `shared`, the statuses must be zeros beforehand.
  cudaError_t (*solve)(const geometry&, const operands&, const neato_shape&, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
neato_launches neato_kernels();

}  // namespace tridia::cuda
