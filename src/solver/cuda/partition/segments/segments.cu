// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve systems too long for the chip, and systems of which only a part is here. The
// file is compiled once for each value type, TRIDIA_VALUE.
#include "solver/cuda/partition/segments/local_segments.cuh"
#include "solver/cuda/partition/segments/segment_passes.cuh"

#include <algorithm>

namespace tridia::cuda::segments {
namespace {

using V = TRIDIA_VALUE;

/// Returns whether a closed system has a finite solution: what is not finite in any row spreads to
/// its interface unknowns.
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::none>::equations& e,
                                         const typename chunk<V, pivoting::none>::unknowns& x) {
  return core::is_finite(x.last) && core::is_finite(e.first.at(x.before, x.last));
}
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::partial>::equations&,
                                         const typename chunk<V, pivoting::partial>::unknowns& x) {
  return core::is_finite(x.first) && core::is_finite(x.last);
}

/// Enters why a system has no finite solution. All threads look for a row that is not finite; if
/// there is none, one of them eliminates.
template <pivoting P, boundary B>
__device__ __noinline__ void diagnose(const geometry& g, const typed_operands<V>& o,
                                      index_t matrix) {
  __shared__ unsigned long long first_nonfinite;
  if (!o.status) return;
  const index_t n = g.rows;
  if (threadIdx.x == 0) first_nonfinite = static_cast<unsigned long long>(n);
  __syncthreads();
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
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
    solver::enter_status(g, o.status, matrix, 0,
                         bad < n ? -(bad + 1) : solver::diagnose_system<V, P, B>(g, o, matrix));
  }
  __syncthreads();
}

/// Closes systems in the last level, a block for some of them, and enters their states.
template <pass_kind S, boundary B>
__global__ void __launch_bounds__(most_threads)
    close_level(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ onchip_shape s, const nodes<V, pivots<S>> in,
                system_state* system_states) {
  using C = chunk<V, pivots<S>>;
  __shared__ typename C::equations of_warps[most_threads / warp_size];
  __shared__ int unsound[most_threads];
  const node_block b(s, g.matrices.size);
  if (S == pass_kind::pivoted && is_done<S>(b.number(0), b.systems(), system_states)) return;
  unsound[threadIdx.x] = 0;
  __syncthreads();
  const node_gather<V, S> level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  const auto unknowns = C::template close<B>(level.all);
  level.spread(unknowns, in);
  if ((speaks_for_system(p) && !is_sound(level.all, unknowns)) ||
      (p.system >= 0 && !level.monitor.bounded)) {
    unsound[p.system] = 1;
  }
  __syncthreads();
  const int system = static_cast<int>(threadIdx.x);
  if (system < b.systems()) {
    system_state& v = system_states[b.number(system)];
    if (S == pass_kind::pivoted && !is_mine<S>(v)) {
      unsound[system] = 0;
    } else if (!unsound[system]) {
      if (S != pass_kind::pivoted) v = system_state::solved;
      if (o.status) solver::enter_status(g, o.status, b.number(system), 0, 0);
    } else {
      v = S == pass_kind::monitored ? system_state::left : system_state::failed;
    }
  }
  if constexpr (S != pass_kind::monitored) {
    __syncthreads();
    for (int i = 0; i < b.systems(); ++i) {
      if (unsound[i]) diagnose<pivots<S>, B>(g, o, b.number(i));
    }
  }
}

/// Fills x of systems without a finite solution with NaN. It takes a launch of its own: where x of
/// one segment overflows, blocks that have stored others do not learn of it. A block is for as many
/// systems as it has threads; those with the same ones (blockIdx.x) share out their rows.
__global__ void __launch_bounds__(block_threads)
    fill_failed(const __grid_constant__ geometry g, V* x, const system_state* system_states) {
  const index_t first = index_t{blockIdx.x} * block_threads;
  const auto failed = [&](int i) {
    return first + i < g.matrices.size && has_failed(system_states[first + i]);
  };
  if (!__syncthreads_or(failed(static_cast<int>(threadIdx.x)))) return;
  const index_t team = index_t{gridDim.y} * block_threads;
  const index_t member = index_t{blockIdx.y} * block_threads + threadIdx.x;
  for (int i = 0; i < block_threads; ++i) {
    if (failed(i)) solver::fill_with_nan(g, x, first + i, 0, member, team);
  }
}

/// Launches all passes of whole systems.
template <pass_kind S, boundary B>
void run(pass_launcher<V>& p) {
  // The expansion does not depend on whether the reduction was monitored.
  constexpr pass_kind down = S == pass_kind::monitored ? pass_kind::plain : S;
  auto* const system_states = p.system_states();
  const int top = p.top();

  on_rows<S>(p, reduce_kernel<V, S>, system_states, {});
  for (int k = 0; k < top; ++k) on_level<S>(p, k, reduce_level<V, S>, system_states);
  const onchip_shape& last = p.level_shape(top);
  p.launch(close_level<S, B>, blocks_for(last, p.g.matrices.size), last, p.g, p.o, last,
           level_nodes<S>(p, top), system_states);
  for (int k = top; k-- > 0;) on_level<down>(p, k, expand_level<V, down>, system_states);
  on_rows<S>(p, expand_kernel<V, S>, system_states, {});
}

/// Does the last launch. If there are few systems, several blocks share each, so that the device is
/// busy.
void fill(pass_launcher<V>& p) {
  if (p.result != cudaSuccess) return;
  constexpr index_t busy = 256, rows_a_thread = 32;
  const index_t groups = (p.g.matrices.size + block_threads - 1) / block_threads;
  const index_t most = p.g.rows / (block_threads * rows_a_thread) + 1;
  const index_t sharing = std::max<index_t>(std::min(busy / groups, most), 1);
  const dim3 grid(static_cast<unsigned>(groups), static_cast<unsigned>(sharing));
  fill_failed<<<grid, block_threads, 0, p.stream>>>(p.g, p.o.x, p.system_states());
  p.result = cudaGetLastError();
}

template <pivoting P>
inline constexpr pass_kind first_pass =
    P == pivoting::none ? pass_kind::plain : pass_kind::monitored;

template <pivoting P, boundary B>
cudaError_t solve(const geometry& g, const operands& o, const segments_shape& shape,
                  std::byte* workspace, cudaStream_t stream) {
  pass_launcher<V> p{g, o, shape, workspace, stream};
  run<first_pass<P>, B>(p);
  if constexpr (P != pivoting::none) run<pass_kind::pivoted, B>(p);
  fill(p);
  return p.result;
}

template <pivoting P>
cudaError_t prepare(std::size_t bytes) {
  cudaError_t result = cudaSuccess;
  const auto allow = [&](auto kernel) {
    if (result != cudaSuccess) return;
    result = allow_shared(kernel, bytes);
  };
  const auto allow_passes = [&]<pass_kind S>() {
    allow(reduce_segments<V, S, line_segment<V, pivots<S>>>);
    allow(expand_segments<V, S, line_segment<V, pivots<S>>>);
    allow(reduce_segments<V, S, row_segment<V, pivots<S>>>);
    allow(expand_segments<V, S, row_segment<V, pivots<S>>>);
  };
  allow_passes.template operator()<first_pass<P>>();
  allow_passes.template operator()<pass_kind::pivoted>();
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
    return {&segments::prepare<pivots>, &segments::solve<pivots, decltype(v)::boundary_kind>,
            &segments::reduce_local<V, pivots>, &segments::expand_local<V, pivots>};
  });
}
template segments_launches segments_kernels<TRIDIA_VALUE>(pivoting, boundary);

}  // namespace tridia::cuda
