// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gpu/launch.cuh"
#include "solver/cuda/thread_per_system.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Calls f(matrix, right-hand side) for this thread's lines.
template <class F>
__device__ __forceinline__ void for_each_line(const geometry& g, F f) {
  const index_t lines = g.matrices.size * g.right_sides.size;
  for (index_t i = thread_index(); i < lines; i += thread_count()) {
    const index_t m = i / g.right_sides.size;
    f(m, i - m * g.right_sides.size);
  }
}

__global__ void __launch_bounds__(block_threads)
    enter_statuses_kernel(const __grid_constant__ geometry g, const index_t* of_matrix,
                          index_t* statuses) {
  for_each_line(g, [&](index_t m, index_t side) {
    solver::enter_status(g, statuses, m, side, of_matrix ? of_matrix[m] : 0);
  });
}

/// Merges the statuses of lines, which lie one after another, into those of their systems.
__global__ void __launch_bounds__(block_threads)
    merge_statuses_kernel(const __grid_constant__ geometry g, const index_t* of_lines,
                          index_t* statuses) {
  for_each_line(g, [&](index_t m, index_t side) {
    index_t at[layout::array_count];
    g.line_offsets(m, side, at);
    layout::enter_line_status(statuses + at[layout::status], true,
                              of_lines[m * g.right_sides.size + side]);
  });
}

/// Returns the first right-hand side of those that share a status with this one.
__device__ __forceinline__ index_t first_sharing(const geometry& g, index_t side) {
  const layout::sharing_right_sides all(g, 0);
  return side - side / all.step % all.count * all.step;
}

/// Sets row 0 of a system's first right-hand side to NaN where that of another one is NaN.
template <class V>
__global__ void __launch_bounds__(block_threads)
    gather_nan_kernel(const __grid_constant__ geometry g, V* x) {
  for_each_line(g, [&](index_t m, index_t side) {
    if (!solver::is_filled_with_nan(g, x, m, side)) return;
    index_t at[layout::array_count];
    g.line_offsets(m, first_sharing(g, side), at);
    x[at[layout::x] + g.lines[layout::x].origin] = core::not_a_number<V>();
  });
}

/// Sets x of every line whose system has failed to NaN; without statuses, the NaN gathered in row 0
/// show which.
template <class V>
__global__ void __launch_bounds__(block_threads)
    share_nan_kernel(const __grid_constant__ geometry g, V* x, const index_t* statuses) {
  for_each_line(g, [&](index_t m, index_t side) {
    index_t at[layout::array_count];
    g.line_offsets(m, side, at);
    const bool failed = statuses != nullptr
                            ? statuses[at[layout::status]] != 0
                            : solver::is_filled_with_nan(g, x, m, first_sharing(g, side));
    if (failed) solver::fill_with_nan(g, x, m, side);
  });
}

template <class V>
cudaError_t share_nan(const geometry& g, V* x, const index_t* statuses, unsigned blocks,
                      cudaStream_t stream) {
  if (statuses == nullptr) gather_nan_kernel<<<blocks, block_threads, 0, stream>>>(g, x);
  share_nan_kernel<<<blocks, block_threads, 0, stream>>>(g, x, statuses);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_share_nan(value_type type, const geometry& g, void* x, const index_t* statuses,
                             index_t concurrent_systems, cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    return share_nan(g, static_cast<V*>(x), statuses, blocks_of(concurrent_systems), stream);
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
  const cudaError_t zeros = launch_enter_statuses(g, nullptr, statuses, concurrent_systems, stream);
  if (zeros != cudaSuccess) return zeros;
  merge_statuses_kernel<<<blocks_of(concurrent_systems), block_threads, 0, stream>>>(g, of_lines,
                                                                                     statuses);
  return cudaGetLastError();
}

}  // namespace tridia::cuda
