// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/launch.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {
namespace {

__global__ void __launch_bounds__(block_threads)
    enter_statuses_kernel(const __grid_constant__ geometry g, const index_t* of_matrix,
                          index_t* statuses) {
  const index_t lines = g.matrices.size * g.right_sides.size;
  for (index_t i = thread_index(); i < lines; i += thread_count()) {
    const index_t m = i / g.right_sides.size, side = i - m * g.right_sides.size;
    solver::enter_status(g, statuses, m, side, of_matrix ? of_matrix[m] : 0);
  }
}

}  // namespace

cudaError_t compiled_capability(int* capability) {
  cudaFuncAttributes attributes{};
  const cudaError_t result = cudaFuncGetAttributes(&attributes, enter_statuses_kernel);
  *capability = attributes.ptxVersion;
  return result;
}

cudaError_t launch_enter_statuses(const geometry& g, const index_t* of_matrix, index_t* statuses,
                                  index_t columns, cudaStream_t stream) {
  enter_statuses_kernel<<<blocks_of(columns), block_threads, 0, stream>>>(g, of_matrix, statuses);
  return cudaGetLastError();
}

}  // namespace tridia::cuda
