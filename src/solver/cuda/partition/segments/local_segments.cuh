// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_merge.hpp"
#include "gpu/dependent_launch.cuh"
#include "solver/cuda/partition/segments/pass_launcher.cuh"
#include "solver/local_status.hpp"

// Systems of which only a part is here: the passes of systems too long for the chip, but the last
// level hands the equations of a system's rows to whoever closes it, and gets its interface
// unknowns.
namespace tridia::cuda::segments {

/// Locates the values of a system: systems are cut into batches of `batch_size`.
template <class V, class Part>
struct batched_values {
  V* base;
  index_t batch_size, systems;

  __device__ __forceinline__ index_t begin(index_t system) const {
    return system / batch_size * batch_size;
  }
  __device__ __forceinline__ index_t pitch(index_t system) const {
    return min(batch_size, systems - begin(system));
  }
  __device__ __forceinline__ V* place(index_t system) const {
    return base + begin(system) * core::value_count<Part, V>;
  }
  __device__ __forceinline__ Part load(index_t system) const {
    return core::load_values<Part>(static_cast<const V*>(place(system)), pitch(system),
                                   system - begin(system));
  }
  __device__ __forceinline__ void store(index_t system, const Part& p) const {
    core::store_values(p, place(system), pitch(system), system - begin(system));
  }
};
template <class V, pivoting P>
using local_equations = batched_values<V, typename chunk<V, P>::equations>;
template <class V, pivoting P>
using local_unknowns = batched_values<V, typename chunk<V, P>::unknowns>;

/// Hands the last level's equations to whoever closes the systems.
template <class V, pivoting P>
__global__ void __launch_bounds__(most_threads)
    open_level(const __grid_constant__ onchip_shape s, index_t matrices, const nodes<V, P> in,
               const local_equations<V, P> out) {
  begin_in_chain();
  __shared__ typename chunk<V, P>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const node_gather<V, P> level(b, s, in, of_warps);
  if (speaks_for_system(level.place)) out.store(b.number(level.place.system), level.all);
}

/// Reads the last level's interface unknowns from whoever has closed the systems.
template <class V, pivoting P>
__global__ void __launch_bounds__(most_threads)
    enter_level(const __grid_constant__ onchip_shape s, index_t matrices, const nodes<V, P> in,
                const local_unknowns<V, P> from) {
  begin_in_chain();
  __shared__ typename chunk<V, P>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const node_gather<V, P> level(b, s, in, of_warps);
  typename chunk<V, P>::unknowns unknowns{};
  if (level.place.system >= 0) unknowns = from.load(b.number(level.place.system));
  level.spread(unknowns, in);
}

/// Returns whether the interface unknowns of a part, and its first x, are finite. `Ends`: with
/// pivoting they hold that x.
template <class Equations, class Ends>
__device__ __forceinline__ bool local_is_sound(const Equations& e, const Ends& x) {
  bool finite = core::is_finite(x.before) && core::is_finite(x.last) && core::is_finite(x.after);
  if constexpr (requires { x.first; }) {
    return finite && core::is_finite(x.first);
  } else {
    return finite && core::is_finite(e.first.at(x.before, x.last));
  }
}

/// Returns why a system has no finite solution, judged by its rows here.
template <class V, pivoting P>
__device__ __noinline__ index_t explain_local(const geometry& g, const typed_operands<V>& o,
                                              const segment_coupling& e, index_t system) {
  const index_t n = g.rows;
  index_t at[layout::array_count];
  g.line_offsets(system, 0, at);
  const auto coupling = [&](const void* entries, int a, index_t k) {
    if (entries != nullptr) return static_cast<const V*>(entries)[system];
    return o.in[a][at[a] + g.lines[a].origin + k * g.lines[a].step];
  };
  if (e.before && !core::is_finite(coupling(e.entries_before, layout::sub, 0))) return -1;
  solver::strided_matrix<V> a(g, n, o.in, at);
  solver::strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  index_t status = solver::failed_elsewhere;
  solver::with_elimination<V, P, boundary::regular>(n, [&](auto elimination) {
    core::diagnose_line<V, decltype(elimination)>(n, {n, n}, a, b, true,
                                                  [&](int, index_t s) { status = s; });
  });
  if (status > 0 && e.after && !core::is_finite(coupling(e.entries_after, layout::sup, n - 1))) {
    return -n;
  }
  return status;
}

/// Decides the state of each system, now that its interface unknowns are known.
template <class V, pivoting P>
__global__ void __launch_bounds__(block_threads)
    judge_local(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ segment_coupling e, const local_equations<V, P> equations,
                const local_unknowns<V, P> unknowns, system_state* system_states) {
  begin_in_chain();
  for (index_t k = thread_index(); k < g.matrices.size; k += thread_count()) {
    const bool sound = local_is_sound(equations.load(k), unknowns.load(k));
    system_states[k] = sound ? system_state::solved : system_state::failed;
    e.found[k] = sound ? 0 : explain_local<V, P>(g, o, e, k);
  }
}

template <class V>
outside<V> beyond(const segment_coupling& e) {
  return {true, e.before, e.after, static_cast<const V*>(e.entries_before),
          static_cast<const V*>(e.entries_after)};
}

/// Launches a pass over the last level's nodes and what whoever closes the systems reads or writes.
template <pivoting P, class V, class Kernel, class Words>
void on_top(pass_launcher<V>& p, Kernel kernel, const Words& values) {
  const onchip_shape& s = p.level_shape(p.top());
  const index_t matrices = p.g.matrices.size;
  p.launch(kernel, blocks_for(s, matrices), s, s, matrices, level_nodes<P>(p, p.top()), values);
}

template <class V, pivoting P>
cudaError_t reduce_local(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_coupling& e, std::byte* workspace, cudaStream_t stream) {
  const side_groups single{g};
  pass_launcher<V> p{g, o, s, single, workspace, stream};
  launch_reduction<P>(p, beyond<V>(e));
  for (int k = 0; k < p.top(); ++k) on_level<P>(p, k, reduce_level<V, P, 1>, nullptr);
  on_top<P>(p, open_level<V, P>,
            local_equations<V, P>{static_cast<V*>(e.equations), e.batch_size, g.matrices.size});
  return p.result;
}

template <class V, pivoting P>
cudaError_t expand_local(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_coupling& e, std::byte* workspace, cudaStream_t stream) {
  const side_groups single{g};
  pass_launcher<V> p{g, o, s, single, workspace, stream};
  const local_equations<V, P> equations{static_cast<V*>(e.equations), e.batch_size,
                                        g.matrices.size};
  const local_unknowns<V, P> unknowns{static_cast<V*>(const_cast<void*>(e.unknowns)), e.batch_size,
                                      g.matrices.size};
  constexpr index_t most = 8192;
  const index_t blocks = (g.matrices.size + block_threads - 1) / block_threads;
  const onchip_shape plain{.threads = block_threads, .shared_bytes = 0};
  p.launch(judge_local<V, P>, static_cast<unsigned>(min(blocks, most)), plain, g, p.systems.o, e,
           equations, unknowns, p.system_states());
  on_top<P>(p, enter_level<V, P>, unknowns);
  for (int k = p.top(); k-- > 0;) on_level<P>(p, k, expand_level<V, P, 1>, nullptr);
  launch_expansion<P>(p, last_pass<1>{nullptr, {p.system_states(), e.found, 0, 0, 1}});
  return p.result;
}

}  // namespace tridia::cuda::segments
