// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/executor.hpp"

#include <cuda_runtime_api.h>

// This is the host's interface to the kernels: thread_per_system.cu is compiled by nvcc, once for
// each value type, and everything else by the host compiler.
namespace tridia::cuda {

using layout::geometry;
using solver::operands;

/// A scan solves in place of a substitution if, as is found on the device, `*sound` is not 0.
/// `sound` null: there is no scan.
struct scan_instead {
  const int* sound = nullptr;
  bool comes_first = false;  // the substitution is launched after it, and begins early
  // The tile counter of a scan that comes after, if it has any: the substitution clears it.
  unsigned* tile_counter = nullptr;
};

/// Launches for one value type and variant. Each returns the launch's error. A thread does a system
/// at a time; `concurrent_systems` threads run, and as many systems are kept in the workspace at
/// once. Where right-hand sides share a status, `substitute` wants that of their matrix to be there
/// before.
struct thread_per_system_launches {
  std::size_t (*kept_bytes)(const solver::task&, index_t concurrent_systems);
  std::size_t (*factors_bytes)(const solver::task&);
  cudaError_t (*solve)(const geometry&, const operands&, void* kept, index_t concurrent_systems,
                       cudaStream_t);
  cudaError_t (*factor)(const geometry&, const operands&, index_t* status, void* factor_values,
                        index_t concurrent_systems, cudaStream_t);
  cudaError_t (*substitute)(const geometry&, const operands&, const index_t* status,
                            void* factor_values, const scan_instead&, index_t concurrent_systems,
                            cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
thread_per_system_launches thread_per_system_kernels(pivoting, boundary);

/// Enters each matrix's status (0 where `of_matrix` is null) for all its systems.
cudaError_t launch_enter_statuses(const geometry&, const index_t* of_matrix, index_t* statuses,
                                  index_t concurrent_systems, cudaStream_t);

/// Enters statuses of lines, in the order of matrices and their right-hand sides, for the systems
/// that these belong to.
cudaError_t launch_merge_statuses(const geometry&, const index_t* of_lines, index_t* statuses,
                                  index_t concurrent_systems, cudaStream_t);

/// Fills x of all right-hand sides of a system with NaN where an earlier launch has filled that of
/// one, since they fail together. Called where they share a status, and after all of them are
/// solved; `statuses` are theirs, or null.
cudaError_t launch_share_nan(value_type, const geometry&, void* x, const index_t* statuses,
                             index_t concurrent_systems, cudaStream_t);

}  // namespace tridia::cuda
