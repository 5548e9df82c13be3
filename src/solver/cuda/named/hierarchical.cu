// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels run the hierarchical PCR-Thomas. The file is compiled once for each value type,
// TRIDIA_VALUE.
#include "solver/cuda/named/hierarchical.hpp"

#include "solver/cuda/block_line.cuh"
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using solver::equation_rows;
using solver::plain_places;
using global_rows = equation_rows<V, plain_places, index_t>;
using shared_rows = equation_rows<V, plain_places>;

/// A thread block handles this many rows in the passes over memory, one per thread.
constexpr int pass_threads = 256;

/// Locates the arrays in the workspace: the equations of all lines, twice, and for each line
/// whether it has failed.
struct places {
  V* equations[2];
  index_t pitch;
  int* failed;

  places(std::byte* workspace, const hierarchical_shape& s) : pitch(s.rows) {
    equations[0] = reinterpret_cast<V*>(workspace);
    equations[1] = equations[0] + 3 * s.rows;
    failed = reinterpret_cast<int*>(
        workspace + solver::round_up(static_cast<std::size_t>(s.rows) * 6 * sizeof(V)));
  }
  __device__ __forceinline__ global_rows of(int which, const geometry& g,
                                            const line_place& line) const {
    const index_t before = g.ragged ? g.ragged[line.matrix] : line.matrix * g.rows;
    const index_t of_side = line.side * (pitch / g.right_sides.size);
    return {equations[which] + of_side + before, pitch};
  }
};

/// Calls f(line, n, k) for every row of every line of n rows, and for row 0 where there is none.
template <class F>
__device__ __forceinline__ void for_each_row(const geometry& g, F f) {
  const index_t parts = g.rows > 0 ? (g.rows + pass_threads - 1) / pass_threads : 1;
  const index_t all = parts * g.matrices.size * g.right_sides.size;
  for (index_t i = blockIdx.x; i < all; i += gridDim.x) {
    const index_t number = i / parts, k = (i - number * parts) * pass_threads + threadIdx.x;
    const line_place line(g, number);
    const index_t n = g.rows_of(line.matrix);
    if (k < n || k == 0) f(line, n, k);
  }
}

/// Does one step of PCR between rows d apart; the first step reads the input arrays.
template <bool First>
__global__ void __launch_bounds__(pass_threads)
    split_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                 const __grid_constant__ places p, int from, index_t d) {
  for_each_row(g, [&](const line_place& line, index_t n, index_t k) {
    if (n == 0) return;
    const global_rows to = p.of(1 - from, g, line);
    if constexpr (First) {
      to.put(k, core::split_row<V>(n, d, k, input_equations<V>(g, o, line)));
    } else {
      to.put(k, core::split_row<V>(n, d, k, p.of(from, g, line)));
    }
  });
}

/// Solves the systems that are left, one block for each; x takes the place of the right-hand sides.
__global__ void __launch_bounds__(most_line_threads)
    subsystems_kernel(const __grid_constant__ geometry g, const __grid_constant__ places p,
                      int from, const __grid_constant__ hierarchical_shape s) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  const shared_rows main{reinterpret_cast<V*>(memory), s.pitch};
  const shared_rows spare{main.base + 3 * s.pitch, s.pitch};
  const block_team team;
  const index_t systems = index_t{1} << s.splits;
  for (index_t i = blockIdx.x; i < s.lines * systems; i += gridDim.x) {
    const line_place line(g, i / systems);
    const index_t first = i % systems;
    const global_rows rows = p.of(from, g, line).part(first, systems);
    const index_t below = g.rows_of(line.matrix) - first;
    const int n = below > 0 ? static_cast<int>((below - 1) / systems) + 1 : 0;
    for (int k = team.rank(); k < n; k += team.size()) main.put(k, rows.get(k));
    __syncthreads();
    const shared_rows solved =
        n > 0 ? core::solve_pcr_thomas<V>(n, s.switch_point, main, spare, team) : main;
    for (int k = team.rank(); k < n; k += team.size()) {
      const V x = solved.solution(k);
      rows.solve(k, x);
      if (!core::is_finite(x)) p.failed[i / systems] = 1;
    }
    __syncthreads();
  }
}

/// Stores x of the lines that are finite. The inputs of the others are unchanged: one thread finds
/// out why such a line has failed, and fills its x with NaN.
__global__ void __launch_bounds__(pass_threads)
    finish_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ places p, int from) {
  for_each_row(g, [&](const line_place& line, index_t n, index_t k) {
    const bool failed = p.failed[line.matrix * g.right_sides.size + line.side] != 0;
    if (k == 0) {
      report_line<V, boundary::regular>(g, o, line, !failed);
      if (failed) solver::fill_with_nan(g, o.x, line.matrix, line.side);
    }
    if (failed || n == 0) return;
    o.x[line.at[layout::x] + k * g.lines[layout::x].step] = p.of(from, g, line).solution(k);
  });
}

cudaError_t solve(const geometry& g, const operands& operands, const hierarchical_shape& s,
                  std::byte* workspace, cudaStream_t stream) {
  const places p(workspace, s);
  const typed_operands<V> o = solver::typed<V>(operands);
  const index_t parts = g.rows > 0 ? (g.rows + pass_threads - 1) / pass_threads : 1;
  const unsigned blocks = blocks_for_lines(s.lines * parts);
  cudaError_t result =
      cudaMemsetAsync(p.failed, 0, static_cast<std::size_t>(s.lines) * sizeof(int), stream);
  int from = 0;
  for (int split = 0; split < s.splits && result == cudaSuccess; ++split, from = 1 - from) {
    const auto kernel = split == 0 ? split_kernel<true> : split_kernel<false>;
    kernel<<<blocks, pass_threads, 0, stream>>>(g, o, p, from, index_t{1} << split);
    result = cudaGetLastError();
  }
  if (result != cudaSuccess) return result;
  subsystems_kernel<<<blocks_for_lines(s.lines << s.splits), s.threads, s.shared_bytes, stream>>>(
      g, p, from, s);
  result = cudaGetLastError();
  if (result != cudaSuccess) return result;
  finish_kernel<<<blocks, pass_threads, 0, stream>>>(g, o, p, from);
  return cudaGetLastError();
}

}  // namespace

template <class>
hierarchical_launches hierarchical_kernels() {
  return {[](std::size_t bytes) { return allow_shared(subsystems_kernel, bytes); }, &solve};
}
template hierarchical_launches hierarchical_kernels<V>();

}  // namespace tridia::cuda
