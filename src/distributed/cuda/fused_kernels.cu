// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve lines across ranks in one pass. The file is compiled once for each value
// type, TRIDIA_VALUE.
#include "distributed/cuda/equation_exchange.cuh"
#include "gpu/peer/end_round.cuh"
#include "solver/cuda/partition/segments/local_segments.cuh"

#include <algorithm>

namespace tridia::distributed {
namespace {

using namespace cuda;
using namespace cuda::segments;
using V = TRIDIA_VALUE;

/// Works on the rows of some lines that a block has, with all other blocks of its cluster and all
/// other ranks that have rows of them.
template <pivoting P, class Segment, bool Cluster>
class fused_block {
 public:
  using place_type = typename Segment::place_type;
  using equations = typename Segment::equations;
  using unknowns = typename Segment::unknowns;

  __device__ __forceinline__ fused_block(const Segment& t, const typename Segment::shape& s,
                                         const typename Segment::memory& m,
                                         const equation_exchange<V, P>& ranks,
                                         const line_states<1>& states, bool first)
      : t_(t), s_(s), m_(m), ranks_(ranks), states_(states), first_(first) {}

  /// Lines are in order until something else is found, by any block of the cluster. Called before a
  /// barrier, and that before `join`.
  __device__ __forceinline__ void begin() const {
    const int system = static_cast<int>(threadIdx.x);
    if (system >= t_.systems()) return;
    m_.flags[system] = 0;
    if (!first_) return;
    states_.at[t_.number(system)] = system_state::solved;
    states_.overflows[t_.number(system)] = 0;
    if constexpr (Cluster) __threadfence();
  }

  /// Returns the interface unknowns of the rows here, to those who ask for them.
  __device__ __forceinline__ unknowns join(const equations& mine, const place_type& place,
                                           dsmem_exchange<Cluster>& from_blocks) const {
    if constexpr (Cluster) {
      return join_cluster(mine, place, from_blocks);
    } else {
      auto* const room = unknowns_room(m_, s_, std::type_identity<Segment>{});
      if (const int speaker = t_.speaks_for(place); speaker >= 0) {
        room[speaker] = close(mine, speaker);
      }
      __syncthreads();
      const int asker = t_.asks_for(place);
      return asker >= 0 ? room[asker] : unknowns{};
    }
  }

  [[nodiscard]] __device__ __forceinline__ const int* left_out() const {
    return m_.flags + s_.systems;
  }

 private:
  /// Returns the interface unknowns of all rows of this rank; a thread a line and block calls it.
  __device__ __forceinline__ unknowns close(const equations& all, int system) const {
    const index_t line = t_.number(system);
    if (first_) ranks_.send(all, line);
    const unknowns of_all = ranks_.close(all, line);
    const bool sound = local_is_sound(all, of_all);
    if (!sound) states_.at[line] = system_state::failed;
    m_.flags[s_.systems + system] = !sound;
    return of_all;
  }

  /// Returns the same as `join`, where blocks of a cluster share the rows: each has all equations.
  __device__ __forceinline__ unknowns join_cluster(const equations& mine, const place_type& place,
                                                   dsmem_exchange<Cluster>& from_blocks) const {
    const chunk_place& p = place.of_group;
    warp_level<V, P> blocks(p.lane, p.ranks);
    growth_monitor<false, false> ignore;
    const int first_lane = static_cast<int>(threadIdx.x) % warp_size - p.lane;
    const equations here = shuffle(mine, first_lane);
    if (threadIdx.x == 0) {
      from_blocks.equations.expect(static_cast<unsigned>(p.ranks * s_.systems * sizeof here));
    }
    if (p.system >= 0 && p.lane < p.ranks) {
      cluster::send(m_.nodes + p.rank * s_.systems + p.system, here,
                    from_blocks.equations.barrier(), p.lane);
    }
    from_blocks.equations.wait();
    const int from = p.lane < p.ranks ? p.lane : 0;
    const equations all = blocks.up(m_.nodes[from * s_.systems + max(p.system, 0)], ignore);
    unknowns of_all{};
    if (const int speaker = t_.speaks_for(place); speaker >= 0) of_all = close(all, speaker);
    const unknowns found = blocks.down(shuffle(of_all, first_lane));
    __syncthreads();
    return shuffle(found, first_lane + p.rank);
  }

  const Segment& t_;
  const typename Segment::shape& s_;
  const typename Segment::memory& m_;
  const equation_exchange<V, P>& ranks_;
  const line_states<1>& states_;
  bool first_;  // of the cluster
};

template <pivoting P, class Segment, bool Cluster>
__global__ void __launch_bounds__(most_threads_of(P))
    solve_fused(const __grid_constant__ typename Segment::geometry g,
                const __grid_constant__ typename Segment::operands o,
                const __grid_constant__ typename Segment::maps maps,
                const __grid_constant__ typename Segment::shape s,
                const __grid_constant__ outside<V> beyond,
                const __grid_constant__ equation_slots slots, const line_states<1> states) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  dsmem_exchange<Cluster> from_blocks(m.dsmem_exchange);
  from_blocks.start();
  const typename Segment::position at(s, blockIdx.x);
  Segment t(g, o, maps, s, m, at);
  const equation_exchange<V, P> ranks(slots, g.matrices.size, slots.executions->ended);
  const fused_block<P, Segment, Cluster> block(t, s, m, ranks, states, at.rank == 0);
  t.load_async();
  block.begin();
  t.wait_loaded();
  const int system = static_cast<int>(threadIdx.x);
  if (system < t.systems()) beyond.mend(t, g, o, system);
  from_blocks.may_send();
  __syncthreads();
  const auto place = t.place();
  if constexpr (P == pivoting::none) {
    typename Segment::template part<P> rows(t, place, s, m);
    growth_monitor<false, false> ignore;
    const auto mine = rows.template reduce<true>(ignore, [](int) {});
    const auto unknowns = block.join(mine, place, from_blocks);
    if (!rows.expand(rows.down(unknowns))) {
      mark_overflow(rows.solved(), t.number(rows.system()), states);
    }
  } else {
    const auto mine = reduce_rows<P>(t, place, s, m);
    const auto unknowns = block.join(mine, place, from_blocks);
    expand_either(t, place, s, m, m.flags, unknowns, states);
  }
  const int* const left_out = block.left_out();
  t.fence_proxy_async();
  const bool any_left_out = __syncthreads_or(system < t.systems() && left_out[system] != 0);
  t.store(any_left_out, [&](int i) { return left_out[i] != 0; });
}

/// Finds out why lines have failed, and ends the execution.
template <pivoting P>
__global__ void __launch_bounds__(block_threads)
    end_fused(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
              const __grid_constant__ segment_coupling e,
              const __grid_constant__ equation_slots slots, const system_state* states) {
  begin_in_chain();
  const equation_exchange<V, P> ranks(slots, g.matrices.size, slots.executions->ended);
  for (index_t k = thread_index(); k < g.matrices.size; k += thread_count()) {
    ranks.clear(k);
    if (states[k] == system_state::failed) e.found[k] = explain_local<V, P>(g, o, e, k);
  }
  __syncthreads();
  if (threadIdx.x == 0) gpu::end_round(slots.executions, gridDim.x);
}

template <pivoting P>
cudaError_t solve(const geometry& g, const operands& o, const segments_shape& shape,
                  const segment_coupling& e, const equation_slots& slots, void* states,
                  cudaStream_t stream) {
  const side_groups single{g};
  pass_launcher<V> p{g, o, shape, single, nullptr, stream};
  const line_states<1> of_lines{static_cast<system_state*>(states), e.found, 0, 0, 1};
  const auto launch = [&](auto kernel, const auto& maps, const auto& s, unsigned blocks,
                          int together, int threads) {
    p.result = launch_clusters(kernel, blocks, together, threads, s.shared_bytes, stream,
                               p.systems.g, p.systems.o, maps, s, beyond<V>(e), slots, of_lines);
  };
  if (shape.in_boxes) {
    using segment = row_segment<V, P>;
    const interleaved_shape& s = shape.of_rows;
    const auto kernel =
        s.blocks > 1 ? solve_fused<P, segment, true> : solve_fused<P, segment, false>;
    launch(kernel, p.systems.maps, s, segment::count(s, p.system_count()), s.blocks, s.threads());
  } else {
    using segment = line_segment<V, P>;
    const onchip_shape& s = shape.of_lines;
    launch(solve_fused<P, segment, false>, no_maps{}, s, segment::count(s, p.system_count()), 1,
           s.threads);
  }
  constexpr index_t most = 2048;
  const index_t blocks = (g.matrices.size + block_threads - 1) / block_threads;
  p.launch(end_fused<P>, static_cast<unsigned>(std::min(blocks, most)), block_threads, 0,
           p.systems.g, p.systems.o, e, slots, of_lines.at);
  return p.result;
}

template <pivoting P>
cudaError_t prepare(std::size_t bytes, bool clusters) {
  cudaError_t result = cudaSuccess;
  const auto allow = [&](auto kernel) {
    if (result == cudaSuccess) result = allow_shared(kernel, bytes);
  };
  allow(solve_fused<P, line_segment<V, P>, false>);
  allow(solve_fused<P, row_segment<V, P>, false>);
  allow(solve_fused<P, row_segment<V, P>, true>);
  if (result != cudaSuccess || !clusters) return result;
  return cudaFuncSetAttribute(solve_fused<P, row_segment<V, P>, true>,
                              cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

template <pivoting P>
fused_launches table() {
  return {&prepare<P>, &solve<P>, sizeof(typename core::chunk<V, P>::equations),
          sizeof(system_state)};
}

}  // namespace

template <class>
fused_launches fused_kernels(pivoting p) {
  return p == pivoting::none ? table<pivoting::none>() : table<pivoting::partial>();
}
template fused_launches fused_kernels<V>(pivoting);

}  // namespace tridia::distributed
