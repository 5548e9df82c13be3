// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve with one thread per system, whatever the layout. The file is compiled once
// for each value type, TRIDIA_VALUE.
#include "solver/cuda/thread_per_system.hpp"

#include "core/dispatch.hpp"
#include "gpu/launch.cuh"
#include "layout/line_status.hpp"
#include "solver/cuda/scan_instead.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using namespace solver;
using V = TRIDIA_VALUE;

template <pivoting P, boundary B, class Rows>
__global__ void __launch_bounds__(block_threads)
    solve_kernel(const __grid_constant__ geometry g, const typed_operands<V> o, V* kept) {
  const index_t concurrent_systems = thread_count(), slot = thread_index();
  for (index_t m = slot; m < g.matrices.size; m += concurrent_systems) {
    solve_system<V, P, B, Rows>(
        g, o, m, row_values_of(g, kept, value_counts<V, P, B>::kept, m, slot, concurrent_systems));
  }
}

template <pivoting P, boundary B, class Rows>
__global__ void __launch_bounds__(block_threads)
    factor_kernel(const __grid_constant__ geometry g, const typed_operands<V> o, index_t* status,
                  V* factor_values) {
  for (index_t m = thread_index(); m < g.matrices.size; m += thread_count()) {
    factor_system<V, P, B, Rows>(
        g, o, m,
        row_values_of(g, factor_values, value_counts<V, P, B>::factors, m, m, g.matrices.size),
        status[m]);
  }
}

/// Substitutes with factors; neighbouring threads take neighbouring matrices, or right-hand sides
/// of one matrix.
template <pivoting P, boundary B, class Rows>
__global__ void __launch_bounds__(block_threads)
    substitute_kernel(const __grid_constant__ geometry g, const typed_operands<V> o,
                      const index_t* of_matrix, V* factor_values, const scan_instead scan) {
  if (leaves_to(scan)) return;
  const bool own_status = o.status != nullptr && !shares_status(g);
  const index_t lines = g.matrices.size * g.right_sides.size;
  for (index_t i = thread_index(); i < lines; i += thread_count()) {
    const bool sides_inner = g.right_sides.size >= g.matrices.size;
    const index_t inner = sides_inner ? g.right_sides.size : g.matrices.size;
    const index_t q = i / inner, r = i - q * inner;
    const index_t m = sides_inner ? q : r, side = sides_inner ? r : q;
    if (own_status) enter_status(g, o.status, m, side, of_matrix[m]);
    substitute_system<V, P, B, Rows>(
        g, o, m, side,
        row_values_of(g, factor_values, value_counts<V, P, B>::factors, m, m, g.matrices.size),
        of_matrix[m]);
  }
}

/// Returns the kernel for a batch. That of a packed one takes eight registers more.
template <class Kernel>
Kernel* with_rows_of(const geometry& g, Kernel* even, Kernel* packed) {
  return g.row_starts == nullptr ? even : packed;
}

template <pivoting P, boundary B>
thread_per_system_launches table() {
  return {&kept_bytes_of<V, P, B>, &factors_bytes_of<V, P, B>,
          [](const geometry& g, const operands& o, void* kept, index_t concurrent_systems,
             cudaStream_t stream) {
            const auto kernel =
                with_rows_of(g, solve_kernel<P, B, even_rows>, solve_kernel<P, B, any_rows>);
            kernel<<<blocks_of(concurrent_systems), block_threads, 0, stream>>>(
                g, typed<V>(o), static_cast<V*>(kept));
            return cudaGetLastError();
          },
          [](const geometry& g, const operands& o, index_t* status, void* factor_values,
             index_t concurrent_systems, cudaStream_t stream) {
            const auto kernel =
                with_rows_of(g, factor_kernel<P, B, even_rows>, factor_kernel<P, B, any_rows>);
            kernel<<<blocks_of(concurrent_systems), block_threads, 0, stream>>>(
                g, typed<V>(o), status, static_cast<V*>(factor_values));
            return cudaGetLastError();
          },
          [](const geometry& g, const operands& o, const index_t* status, void* factor_values,
             const scan_instead& scan, index_t concurrent_systems, cudaStream_t stream) {
            const auto kernel = with_rows_of(g, substitute_kernel<P, B, even_rows>,
                                             substitute_kernel<P, B, any_rows>);
            return launch_dependent(kernel, scan.comes_first, dim3(blocks_of(concurrent_systems)),
                                    block_threads, 0, stream, g, typed<V>(o), status,
                                    static_cast<V*>(factor_values), scan);
          }};
}

}  // namespace

template <class>
thread_per_system_launches thread_per_system_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template thread_per_system_launches thread_per_system_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
