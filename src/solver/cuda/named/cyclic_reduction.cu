// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels run CR, CRNBC, PCR, CR-PCR and PCR-Thomas. The file is compiled once for each value
// type, TRIDIA_VALUE.
#include "solver/cuda/named/cyclic_reduction.hpp"

#include "solver/cuda/block_line.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using solver::equation_rows;
using solver::padded_places;
using solver::plain_places;

template <class Places>
struct cr_pcr {
  using rows = equation_rows<V, Places>;

  static __device__ __forceinline__ rows solve(int n, const cyclic_shape& s, rows main,
                                               rows spare) {
    const rows other{spare.base + 3 * s.spare_pitch, s.spare_pitch};
    core::solve_cr_pcr<V>(n, s.switch_point, main, spare, other, block_team{});
    return main;
  }
};
struct pcr_thomas {
  using rows = equation_rows<V, plain_places>;

  static __device__ __forceinline__ rows solve(int n, const cyclic_shape& s, rows main,
                                               rows spare) {
    return core::solve_pcr_thomas<V>(n, s.switch_point, main, spare, block_team{});
  }
};

template <class Method>
__global__ void __launch_bounds__(most_line_threads)
    cyclic_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ cyclic_shape s) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  using rows = typename Method::rows;
  const rows main{reinterpret_cast<V*>(memory), s.pitch};
  const rows spare{main.base + 3 * s.pitch, s.spare_pitch};
  const block_team team;
  for_each_line_of_block(g, [&](const line_place& line) {
    const auto n = static_cast<int>(g.rows_of(line.matrix));
    const input_equations<V> input(g, o, line);
    for (int k = team.rank(); k < n; k += team.size()) main.put(k, input.get(k));
    __syncthreads();
    const rows solved = n > 0 ? Method::solve(n, s, main, spare) : main;
    bool finite = true;
    for (int k = team.rank(); k < n; k += team.size())
      finite = finite && core::is_finite(solved.solution(k));
    if (!report_block(g, o, line, finite)) {
      for (int k = team.rank(); k < n; k += team.size()) solved.solve(k, core::not_a_number<V>());
    }
    V* const x = o.x + line.at[layout::x];
    const index_t step = g.lines[layout::x].step;
    for (int k = team.rank(); k < n; k += team.size()) x[k * step] = solved.solution(k);
  });
}

using kernel = void (*)(geometry, typed_operands<V>, cyclic_shape);

kernel kernel_for(cyclic_variant which) {
  return which == cyclic_variant::pcr_thomas      ? cyclic_kernel<pcr_thomas>
         : which == cyclic_variant::padded_cr_pcr ? cyclic_kernel<cr_pcr<padded_places>>
                                                  : cyclic_kernel<cr_pcr<plain_places>>;
}

cudaError_t prepare(cyclic_variant which, std::size_t shared_bytes) {
  return allow_shared(kernel_for(which), shared_bytes);
}

cudaError_t solve(const geometry& g, const operands& o, const cyclic_shape& s,
                  cudaStream_t stream) {
  return launch_clusters(kernel_for(s.variant),
                         blocks_for_lines(g.matrices.size * g.right_sides.size), 1, s.threads,
                         s.shared_bytes, stream, g, solver::typed<V>(o), s);
}

}  // namespace

template <class>
cyclic_launches cyclic_kernels() {
  return {&prepare, &solve};
}
template cyclic_launches cyclic_kernels<V>();

}  // namespace tridia::cuda
