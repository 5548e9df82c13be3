// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "solver/cuda/thread_per_system.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Calls f(matrix, right-hand sides) for this thread's systems.
template <class F>
__device__ __forceinline__ void for_each_system(const geometry& g, F f) {
  const index_t of_matrix = layout::systems_of_matrix(g), systems = g.matrices.size * of_matrix;
  for (index_t i = thread_index(); i < systems; i += thread_count()) {
    const index_t m = of_matrix == 1 ? i : i / of_matrix;
    f(m, layout::sharing_right_sides(g, i - m * of_matrix));
  }
}

__global__ void __launch_bounds__(block_threads)
    enter_statuses_kernel(const __grid_constant__ geometry g, const index_t* of_matrix,
                          index_t* statuses) {
  for_each_system(g, [&](index_t m, const layout::sharing_right_sides& all) {
    solver::enter_status(g, statuses, m, all.at(0), of_matrix ? of_matrix[m] : 0);
  });
}

/// Merges the statuses of lines, which lie one after another, into those of their systems.
__global__ void __launch_bounds__(block_threads)
    merge_statuses_kernel(const __grid_constant__ geometry g, const index_t* of_lines,
                          index_t* statuses) {
  for_each_system(g, [&](index_t m, const layout::sharing_right_sides& all) {
    index_t status = 0;
    for (index_t r = 0; r < all.count; ++r) {
      status = layout::merged(status, of_lines[m * g.right_sides.size + all.at(r)]);
    }
    solver::enter_status(g, statuses, m, all.at(0), status);
  });
}

/// Sets x of every line whose system has failed to NaN.
template <class V>
__global__ void __launch_bounds__(block_threads)
    share_nan_kernel(const __grid_constant__ geometry g, V* x, const index_t* statuses) {
  wait_for_launch_before();
  for_each_system(g, [&](index_t m, const layout::sharing_right_sides& all) {
    if (statuses == nullptr) return solver::share_nan(g, x, m, all);
    index_t at[layout::array_count];
    g.line_offsets(m, all.at(0), at);
    if (statuses[at[layout::status]] != 0) solver::fill_with_nan(g, x, m, all);
  });
}

}  // namespace

cudaError_t launch_share_nan(value_type type, const geometry& g, void* x, const index_t* statuses,
                             index_t concurrent_systems, cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    // It comes after a kernel that solves, and begins beside the end of that.
    return launch_dependent(share_nan_kernel<V>, true, dim3(blocks_of(concurrent_systems)),
                            block_threads, 0, stream, g, static_cast<V*>(x), statuses);
  });
}

cudaError_t launch_enter_statuses(const geometry& g, const index_t* of_matrix, index_t* statuses,
                                  index_t concurrent_systems, cudaStream_t stream) {
  enter_statuses_kernel<<<blocks_of(concurrent_systems), block_threads, 0, stream>>>(g, of_matrix,
                                                                                     statuses);
  return cudaGetLastError();
}

cudaError_t launch_merge_statuses(const geometry& g, const index_t* of_lines, index_t* statuses,
                                  index_t concurrent_systems, cudaStream_t stream) {
  merge_statuses_kernel<<<blocks_of(concurrent_systems), block_threads, 0, stream>>>(g, of_lines,
                                                                                     statuses);
  return cudaGetLastError();
}

}  // namespace tridia::cuda
