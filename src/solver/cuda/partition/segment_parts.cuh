// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/joining.hpp"
#include "solver/cuda/partition/segment_passes.cuh"
#include "solver/part_status.hpp"

// Systems of which only a part is here: the passes of systems too long for the chip, but the last
// level hands the equations of a system's rows to whoever closes it, and gets its ends.
namespace tridia::cuda::segments {

/// Where the words of a system lie: systems are cut into parcels of `each`.
template <class V, class Part>
struct part_words {
  V* base;
  index_t each, systems;

  __device__ __forceinline__ index_t begin(index_t system) const { return system / each * each; }
  __device__ __forceinline__ index_t pitch(index_t system) const {
    return min(each, systems - begin(system));
  }
  __device__ __forceinline__ V* place(index_t system) const {
    return base + begin(system) * core::words_of<Part, V>;
  }
  __device__ __forceinline__ Part load(index_t system) const {
    return core::load_words<Part>(static_cast<const V*>(place(system)), pitch(system),
                                  system - begin(system));
  }
  __device__ __forceinline__ void store(index_t system, const Part& p) const {
    core::store_words(p, place(system), pitch(system), system - begin(system));
  }
};
template <class V, stage S>
using part_equations = part_words<V, typename chunk<V, pivots<S>>::equations>;
template <class V, stage S>
using part_ends = part_words<V, typename chunk<V, pivots<S>>::ends>;

/// The last level's equations, to who closes the systems.
template <class V, stage S>
__global__ void __launch_bounds__(most_threads)
    open_level(const __grid_constant__ onchip_shape s, index_t matrices,
               const nodes<V, pivots<S>> in, const part_equations<V, S> out) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gathered<V, S> level(b, s, in, of_warps);
  if (speaks_for_system(level.place)) out.store(b.number(level.place.system), level.all);
}

/// The last level's ends, from who has closed the systems.
template <class V, stage S>
__global__ void __launch_bounds__(most_threads)
    enter_level(const __grid_constant__ onchip_shape s, index_t matrices,
                const nodes<V, pivots<S>> in, const part_ends<V, S> from) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gathered<V, S> level(b, s, in, of_warps);
  typename chunk<V, pivots<S>>::ends ends{};
  if (level.place.system >= 0) ends = from.load(b.number(level.place.system));
  level.spread(ends, in);
}

/// Whether the ends of a part, and its first x, are finite. `Ends`: with pivoting they hold that x.
template <class Equations, class Ends>
__device__ __forceinline__ bool part_is_sound(const Equations& e, const Ends& x) {
  bool finite = core::is_finite(x.before) && core::is_finite(x.last) && core::is_finite(x.after);
  if constexpr (requires { x.first; }) {
    return finite && core::is_finite(x.first);
  } else {
    return finite && core::is_finite(e.first.at(x.before, x.last));
  }
}

/// Why a system has no finite solution, by its rows here.
template <class V, pivoting P>
__device__ __noinline__ index_t explain_part(const geometry& g, const typed_operands<V>& o,
                                             const segment_ends& e, index_t system) {
  const index_t n = g.rows;
  index_t at[layout::array_count];
  g.line_offsets(system, 0, at);
  const auto coupling = [&](const void* given, int a, index_t k) {
    if (given != nullptr) return static_cast<const V*>(given)[system];
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

/// What becomes of each system, now that its ends are known.
template <class V, stage S>
__global__ void __launch_bounds__(block_threads)
    judge_parts(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ segment_ends e, const part_equations<V, S> equations,
                const part_ends<V, S> ends, verdict* verdicts) {
  constexpr verdict mine = S == stage::pivoted ? verdict::left : verdict::solved;
  for (index_t k = thread_index(); k < g.matrices.size; k += thread_count()) {
    const bool sound = part_is_sound(equations.load(k), ends.load(k));
    verdicts[k] = sound ? mine : verdict::failed;
    e.found[k] = sound ? 0 : explain_part<V, pivots<S>>(g, o, e, k);
  }
}

/// With partial pivoting all rows are pivoted at once.
template <pivoting P>
inline constexpr stage part_stage = P == pivoting::none ? stage::plain : stage::pivoted;

template <class V>
outside<V> beyond(const segment_ends& e) {
  return {true,
          e.before,
          e.after,
          static_cast<const V*>(e.entries_before),
          static_cast<const V*>(e.entries_after),
          e.found};
}

/// Launches a pass over the last level's nodes and what whoever closes the systems reads or writes.
template <stage S, class V, class Kernel, class Words>
void on_top(pass_launcher<V>& p, Kernel kernel, const Words& words) {
  const onchip_shape& s = p.level_shape(p.top());
  const index_t matrices = p.g.matrices.size;
  p.launch(kernel, blocks_for(s, matrices), s, s, matrices, level_nodes<S>(p, p.top()), words);
}

template <class V, pivoting P>
cudaError_t reduce_parts(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_ends& e, std::byte* workspace, cudaStream_t stream) {
  constexpr stage S = part_stage<P>;
  pass_launcher<V> p{g, solver::typed<V>(o), s, workspace, stream};
  on_rows<S>(p, reduce_segments<V, S>, nullptr, beyond<V>(e));
  for (int k = 0; k < p.top(); ++k) on_level<S>(p, k, reduce_level<V, S>, nullptr);
  on_top<S>(p, open_level<V, S>,
            part_equations<V, S>{static_cast<V*>(e.equations), e.each, g.matrices.size});
  return p.result;
}

template <class V, pivoting P>
cudaError_t expand_parts(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_ends& e, std::byte* workspace, cudaStream_t stream) {
  constexpr stage S = part_stage<P>;
  pass_launcher<V> p{g, solver::typed<V>(o), s, workspace, stream};
  const part_equations<V, S> equations{static_cast<V*>(e.equations), e.each, g.matrices.size};
  const part_ends<V, S> ends{static_cast<V*>(const_cast<void*>(e.ends)), e.each, g.matrices.size};
  constexpr index_t most = 8192;
  const index_t blocks = (g.matrices.size + block_threads - 1) / block_threads;
  const onchip_shape plain{.threads = block_threads, .shared_bytes = 0};
  p.launch(judge_parts<V, S>, static_cast<unsigned>(min(blocks, most)), plain, g, p.o, e, equations,
           ends, p.verdicts());
  on_top<S>(p, enter_level<V, S>, ends);
  for (int k = p.top(); k-- > 0;) on_level<S>(p, k, expand_level<V, S>, nullptr);
  on_rows<S>(p, expand_segments<V, S>, p.verdicts(), beyond<V>(e));
  return p.result;
}

}  // namespace tridia::cuda::segments
