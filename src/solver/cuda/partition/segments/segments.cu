// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve systems too long for the chip, and systems of which only a part is here. The
// file is compiled once for each value type, TRIDIA_VALUE.
#include "gpu/dependent_launch.cuh"
#include "solver/cuda/partition/segments/local_segments.cuh"
#include "solver/cuda/partition/segments/one_pass.cuh"

#include <algorithm>

namespace tridia::cuda::segments {
namespace {

using V = TRIDIA_VALUE;

/// Returns a number of a right-hand side.
__device__ __forceinline__ V of_side(const V& v, int) { return v; }
template <int Sides>
__device__ __forceinline__ V of_side(const core::values<V, Sides>& v, int side) {
  return v.at[side];
}

/// Returns whether a closed system has a finite solution for a right-hand side: what is not finite
/// in any row spreads to its interface unknowns.
template <class Equations, class Unknowns>
__device__ __forceinline__ bool is_sound(const Equations& e, const Unknowns& x, int side) {
  const V last = of_side(x.last, side);
  if constexpr (requires { x.first; }) {
    return core::is_finite(x.first) && core::is_finite(last);
  } else {
    return core::is_finite(last) && core::is_finite(of_side(e.first.at(x.before, x.last), side));
  }
}

/// Enters the status of a line of the problem.
__device__ __forceinline__ void enter_line(const geometry& g, index_t* statuses, index_t line,
                                           index_t status) {
  if (statuses == nullptr) return;
  const index_t sides = g.right_sides.size, matrix = sides == 1 ? line : line / sides;
  index_t at[layout::array_count];
  g.line_offsets(matrix, line - matrix * sides, at);
  layout::enter_line_status(statuses + at[layout::status], layout::shares_status(g), status);
}

/// Enters why a line has no finite solution. All threads look for a row that is not finite; if
/// there is none, one of them eliminates.
template <pivoting P, boundary B>
__device__ __noinline__ void diagnose(const geometry& g, const typed_operands<V>& o, index_t line) {
  __shared__ unsigned long long first_nonfinite;
  if (!o.status) return;
  const index_t n = g.rows, matrix = line / g.right_sides.size;
  const index_t side = line - matrix * g.right_sides.size;
  if (threadIdx.x == 0) first_nonfinite = static_cast<unsigned long long>(n);
  __syncthreads();
  index_t at[layout::array_count];
  g.line_offsets(matrix, side, at);
  const solver::strided_matrix<V> a(g, n, o.in, at);
  solver::strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  for (index_t k = threadIdx.x; k < n; k += blockDim.x) {
    if (core::is_finite(a.get(k)) && core::is_finite(b.get(k))) continue;
    atomicMin(&first_nonfinite, static_cast<unsigned long long>(k));
    break;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto bad = static_cast<index_t>(first_nonfinite);
    enter_line(g, o.status, line,
               bad < n ? -(bad + 1) : solver::diagnose_system<V, P, B>(g, o, matrix, side));
  }
  __syncthreads();
}

/// Says which lines of the problem the sides of systems are.
template <int Sides>
struct lines_of_systems {
  layout::axes_of<1> first;  // of a system, by its number
  index_t count;             // of systems
  line_states<Sides> states;

  __device__ __forceinline__ index_t line(index_t system, int side) const {
    if constexpr (Sides == 1) return system;
    index_t at[1];
    first.offsets(system, at);
    return states.line(at[0], side);
  }
};

/// Closes systems in the last level, a block for some of them, and enters the states of their
/// lines, which are solved until now.
template <pivoting P, boundary B, int Sides>
__global__ void __launch_bounds__(most_threads)
    close_level(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ onchip_shape s, const nodes<V, P, Sides> in,
                const __grid_constant__ lines_of_systems<Sides> lines, const pass_findings* found) {
  begin_in_chain();
  using gather = node_gather<V, P, Sides>;
  using C = typename gather::C;
  __shared__ typename C::equations of_warps[most_threads / warp_size];
  __shared__ int unsound[most_level_systems][Sides];
  const line_states<Sides>& states = lines.states;
  const node_block b(s, lines.count);
  const int systems = b.systems(), valid = Sides == 1 ? 1 : states.valid;
  if (nothing_is_left(found)) {
    for (int i = static_cast<int>(threadIdx.x); i < systems; i += s.threads) {
      enter_line(g, o.status, lines.line(b.number(i), 0), 0);
    }
    return;
  }
  for (int i = static_cast<int>(threadIdx.x); i < systems * Sides; i += s.threads) {
    unsound[i / Sides][i % Sides] = 0;
  }
  __syncthreads();
  const gather level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  const auto unknowns = C::template close<B>(level.all);
  level.spread(unknowns, in);
#pragma unroll
  for (int side = 0; side < Sides; ++side) {
    if (speaks_for_system(p) && !is_sound(level.all, unknowns, side)) unsound[p.system][side] = 1;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < systems * valid; i += s.threads) {
    const bool bad = unsound[i / valid][i % valid] != 0;
    const index_t line = lines.line(b.number(i / valid), i % valid);
    if (bad) states.at[line] = system_state::failed;
    if (!bad) enter_line(g, o.status, line, 0);
  }
  for (int i = 0; i < systems * valid; ++i) {
    if (!unsound[i / valid][i % valid]) continue;
    diagnose<P, B>(g, o, lines.line(b.number(i / valid), i % valid));
  }
}

/// Fills x of lines without a finite solution with NaN, and enters the statuses of those whose x
/// has overflowed. It takes a launch of its own: where x of one segment overflows, blocks that have
/// stored others do not learn of it. A block is for as many lines as it has threads; those with the
/// same ones (blockIdx.x) share out their rows.
__global__ void __launch_bounds__(block_threads)
    fill_failed(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const system_state* states, const index_t* overflows) {
  begin_in_chain();
  const index_t sides = g.right_sides.size, lines = g.matrices.size * sides;
  const index_t first = index_t{blockIdx.x} * block_threads;
  const auto failed = [&](int i) {
    return first + i < lines && states[first + i] != system_state::solved;
  };
  const bool mine = failed(static_cast<int>(threadIdx.x));
  if (mine && blockIdx.y == 0 && states[first + threadIdx.x] == system_state::overflowed) {
    enter_line(g, o.status, first + threadIdx.x, overflows[first + threadIdx.x]);
  }
  if (!__syncthreads_or(mine)) return;
  const index_t team = index_t{gridDim.y} * block_threads;
  const index_t member = index_t{blockIdx.y} * block_threads + threadIdx.x;
  for (int i = 0; i < block_threads; ++i) {
    if (!failed(i)) continue;
    const index_t matrix = (first + i) / sides, side = first + i - matrix * sides;
    solver::fill_with_nan(g, o.x, matrix, side, member, team);
  }
}

/// Lets all lines count as solved, and no segment as solved or left.
template <int Sides>
void begin(pass_launcher<V, Sides>& p) {
  const std::size_t first = p.shape.system_states;
  p.clear(first, p.shape.found + sizeof(pass_findings) - first, 0);
}

/// Launches all passes of whole systems.
template <pivoting P, boundary B, int Sides>
void run(pass_launcher<V, Sides>& p) {
  const line_states<Sides> states{p.system_states(), p.overflows(), p.groups.line_begin,
                                  p.groups.line_step, p.groups.valid};
  const pass_findings* found = nullptr;
  const int top = p.top();

  if constexpr (Sides == 1) {
    if (takes_one_pass<P, V>(p.shape)) found = p.found();
    found != nullptr ? launch_first_pass<P>(p) : launch_reduction<P>(p, outside<V>{});
  } else {
    launch_reduction<P>(p, outside<V>{});
  }
  for (int k = 0; k < top; ++k) on_level<P>(p, k, reduce_level<V, P, Sides>, found);
  const onchip_shape& last = p.level_shape(top);
  const lines_of_systems<Sides> lines{layout::axes_in(p.groups.first.matrices, layout::status),
                                      p.system_count(), states};
  p.launch(close_level<P, B, Sides>, blocks_for(last, p.system_count()), last, p.g,
           solver::typed<V>(p.untyped), last, level_nodes<P>(p, top), lines, found);
  for (int k = top; k-- > 0;) on_level<P>(p, k, expand_level<V, P, Sides>, found);
  launch_expansion<P>(p, last_pass<Sides>{found, states});
}

/// Does the last launch. If there are few lines, several blocks share each, so that the device is
/// busy.
template <int Sides>
void fill(pass_launcher<V, Sides>& p) {
  constexpr index_t busy = 256, rows_a_thread = 32;
  const index_t lines = p.g.matrices.size * p.g.right_sides.size;
  const index_t groups = (lines + block_threads - 1) / block_threads;
  const index_t most = p.g.rows / (block_threads * rows_a_thread) + 1;
  const index_t sharing = std::max<index_t>(std::min(busy / groups, most), 1);
  const dim3 grid(static_cast<unsigned>(groups), static_cast<unsigned>(sharing));
  p.launch(fill_failed, grid, block_threads, 0, p.g, solver::typed<V>(p.untyped), p.system_states(),
           p.overflows());
}

template <pivoting P, boundary B>
cudaError_t solve(const geometry& g, const operands& o, const segments_shape& shape,
                  std::byte* workspace, cudaStream_t stream) {
  const side_groups single{g};
  pass_launcher<V> p{g, o, shape, single, workspace, stream};
  begin(p);
  run<P, B>(p);
  fill(p);
  return p.result;
}

/// Solves for several right-hand sides together, which needs no pivoting.
template <boundary B>
cudaError_t solve_sides(const geometry& g, const operands& o, const sides_shape& shape,
                        std::byte* workspace, cudaStream_t stream) {
  constexpr int sides = sides_together(sizeof(V));
  cudaError_t result = cudaSuccess;
  for (int k = 0; k < shape.count && result == cudaSuccess; ++k) {
    const auto& [groups, of_part] = shape.parts[k];
    pass_launcher<V, sides> p{g, o, of_part, groups, workspace, stream};
    if (k == 0) begin(p);
    run<pivoting::none, B>(p);
    if (k == shape.count - 1) fill(p);
    result = p.result;
  }
  return result;
}

template <pivoting P, int Sides>
cudaError_t allow_passes(std::size_t bytes) {
  cudaError_t result = cudaSuccess;
  const auto allow = [&](auto kernel) {
    if (result != cudaSuccess) return;
    result = allow_shared(kernel, bytes);
  };
  const auto allow_rows = [&]<class Segment>(std::type_identity<Segment>) {
    allow(reduce_segments<V, P, Segment, Sides>);
    if constexpr (Sides == 1) allow(solve_segments<V, P, Segment>);
    allow(expand_segments<V, P, Segment, Sides>);
  };
  allow_rows(std::type_identity<line_segment<V, P, Sides>>{});
  allow_rows(std::type_identity<row_segment<V, P, Sides>>{});
  return result;
}

}  // namespace
}  // namespace tridia::cuda::segments

namespace tridia::cuda {

using namespace gpu;

template <class V>
segments_launches segments_kernels(pivoting p, boundary b) {
  return core::with_variant(p, b, [](auto v) -> segments_launches {
    constexpr pivoting pivots = decltype(v)::pivots;
    return {&segments::allow_passes<pivots, 1>,
            &segments::solve<pivots, decltype(v)::boundary_kind>,
            &segments::reduce_local<V, pivots>, &segments::expand_local<V, pivots>};
  });
}
template segments_launches segments_kernels<TRIDIA_VALUE>(pivoting, boundary);

template <class V>
sides_launches sides_kernels(boundary b) {
  return core::with_variant(pivoting::none, b, [](auto v) -> sides_launches {
    return {&segments::allow_passes<pivoting::none, sides_together(sizeof(V))>,
            &segments::solve_sides<decltype(v)::boundary_kind>};
  });
}
template sides_launches sides_kernels<TRIDIA_VALUE>(boundary);

}  // namespace tridia::cuda
