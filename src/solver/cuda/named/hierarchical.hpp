// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

// The hierarchical method solves systems of any length: PCR runs in global memory until its systems
// fit a block, then PCR-Thomas solves them there.
namespace tridia::cuda {

struct hierarchical_shape {
  index_t lines, rows;  // rows of all lines together
  int splits;           // 2^splits systems are made of each
  int switch_point, threads;
  int pitch;  // words of one array of the equations in shared memory; the spare ones take as many
  std::size_t shared_bytes, workspace_bytes;
};

/// Plans the shape. If `splits` is 0, a system fits a block, and needs no pass over memory: see
/// cyclic_reduction.hpp.
hierarchical_shape plan_hierarchical(const task&, const device_limits&);

struct hierarchical_launches {
  cudaError_t (*prepare)(std::size_t shared_bytes);
  /// Launches the kernels; the workspace must be aligned.
  cudaError_t (*solve)(const geometry&, const operands&, const hierarchical_shape&,
                       std::byte* workspace, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
hierarchical_launches hierarchical_kernels();

}  // namespace tridia::cuda
