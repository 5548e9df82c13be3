// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This kernel runs register-packed CR with stages of any radix (core/forward_reduction.hpp). The
// library launches it with radix 2; benchmarks and tests compile it with radix 4 as well.
#include "solver/cuda/named/packed_cr.hpp"

#include "solver/cuda/block_line.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

/// Solves systems; rows beyond the last are independent equations x = 0.
template <class V, int Depth, int Radix>
__global__ void __launch_bounds__(most_packed_threads(Depth, sizeof(V)))
    packed_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  const block_team team;
  using rows_in_shared = solver::equation_rows<V, solver::plain_places>;
  const rows_in_shared rows{reinterpret_cast<V*>(memory), team.size()};
  const rows_in_shared spare{rows.base + 3 * team.size(), team.size()};
  const core::cyclic_reduction<V> op;
  for_each_line_of_block(g, [&](const line_place& line) {
    const auto n = static_cast<int>(g.rows_of(line.matrix));
    const input_equations<V> input(g, o, line);
    const int first = Depth * team.rank();
    core::row_equation<V> r[Depth];
    V solution[Depth];
#pragma unroll
    for (int i = 0; i < Depth; ++i) {
      r[i] = op.nothing(), solution[i] = V(0);
      if (first + i < n) r[i] = input.get(first + i);
    }
    if (n > 0) {
      core::reduce_packed<Depth, Radix>((n + Depth - 1) / Depth, r, solution, rows, spare, op,
                                        team);
    }
    bool finite = true;
#pragma unroll
    for (int i = 0; i < Depth; ++i) finite = finite && core::is_finite(solution[i]);
    if (!report_block(g, o, line, finite)) {
#pragma unroll
      for (int i = 0; i < Depth; ++i) solution[i] = core::not_a_number<V>();
    }
    V* const x = o.x + line.at[layout::x];
    const index_t step = g.lines[layout::x].step;
#pragma unroll
    for (int i = 0; i < Depth; ++i) {
      if (first + i < n) x[(first + i) * step] = solution[i];
    }
  });
}

template <class V>
using packed_kernel_pointer = void (*)(geometry, typed_operands<V>);

template <class V, int Radix>
packed_kernel_pointer<V> packed_kernel_for(int depth) {
  switch (depth) {
    case 2:
      return packed_kernel<V, 2, Radix>;
    case 4:
      return packed_kernel<V, 4, Radix>;
    case 16:
      return packed_kernel<V, 16, Radix>;
    case 32:
      return packed_kernel<V, 32, Radix>;
    default:
      return packed_kernel<V, 8, Radix>;
  }
}

/// Returns the launches of the kernels of a radix, 2 or 4.
template <class V, int Radix>
packed_launches packed_launches_of() {
  return {[](int depth, std::size_t shared_bytes, int* registers) {
            cudaFuncAttributes compiled{};
            const auto kernel = packed_kernel_for<V, Radix>(depth);
            const cudaError_t result = cudaFuncGetAttributes(&compiled, kernel);
            if (result != cudaSuccess) return result;
            *registers = compiled.numRegs;
            return allow_shared(kernel, shared_bytes);
          },
          [](const geometry& g, const operands& o, const packed_shape& s, cudaStream_t stream) {
            return launch_clusters(packed_kernel_for<V, Radix>(s.depth),
                                   blocks_for_lines(g.matrices.size * g.right_sides.size), 1,
                                   s.threads, s.shared_bytes, stream, g, solver::typed<V>(o));
          }};
}

}  // namespace tridia::cuda
