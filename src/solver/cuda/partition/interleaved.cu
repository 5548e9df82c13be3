// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve systems that are interleaved in memory. The file is compiled once for each
// value type, TRIDIA_VALUE.
#include "solver/cuda/partition/interleaved.hpp"

#include "core/dispatch.hpp"
#include "gpu/block.cuh"
#include "solver/cuda/partition/block_solver.cuh"
#include "solver/cuda/partition/interleaved_chunk_view.cuh"
#include "solver/cuda/partition/interleaved_chunks.cuh"
#include "solver/cuda/partition/interleaved_tile.cuh"
#include "solver/cuda/partition/tensor_maps.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using core::chunk;
using solver::operands;

/// Tells how blocks take systems: one has all their rows, and a thread for each chunk or for
/// several systems, one in each round; or a cluster shares them.
enum class kernel_variant { at_once, in_rounds, in_clusters };

template <kernel_variant M>
inline constexpr bool clustered = (M == kernel_variant::in_clusters);
/// This tells whether blocks take several tiles.
template <pivoting P, kernel_variant M>
inline constexpr bool persistent = (clustered<M> && can_persist(P, sizeof(V)));

/// Threads that a kernel is compiled for. Without a cluster 128 registers a thread are better than
/// the 154 that pivoting would take, though it spills 24 bytes (f64): short systems have as many
/// threads as registers allow, and 8 rows take 1.65 instead of 1.35 F with fewer.
template <pivoting P, kernel_variant M>
inline constexpr int most_threads_for = clustered<M> ? most_threads_of(P) : most_threads;

template <pivoting P, kernel_variant M>
using tile = interleaved_tile<V, persistent<P, M>, M == kernel_variant::in_rounds>;
using chunk_view = interleaved_chunk_view<V>;

template <pivoting P>
using equations_of = typename chunk<V, P>::equations;
template <pivoting P>
using unknowns_of = typename chunk<V, P>::unknowns;

/// Returns the interface unknowns of this thread's chunk. `monitor` is called by threads for the
/// system of their chunk, `monitor_other` for that of their group, and `met` after a barrier, if
/// there is one.
template <pivoting P, pivoting Plan, boundary B, bool Cluster, class Monitor, class Met>
__device__ __forceinline__ unknowns_of<P> solve_chunks(const equations_of<P>& mine, const places& p,
                                                       const interleaved_shape& s,
                                                       const interleaved_memory<V, Plan>& m,
                                                       dsmem_exchange<Cluster>& from_blocks,
                                                       Monitor& monitor, Monitor& monitor_other,
                                                       Met met) {
  chunk_exchange<V, P> exchange(p, s, m.exchanged, m.pitch);
  const equations_of<P> all = exchange.up(mine, monitor);
  if (!Cluster && s.groups == 1) return exchange.down(chunk<V, P>::template close<B>(all));
  exchange.show(all);
  __syncthreads();
  met();
  // Lanes beyond the groups stand for other blocks.
  if (Cluster || exchange.any_part()) {
    const nodes_of<V, P> nodes{nullptr, reinterpret_cast<equations_of<P>*>(m.nodes)};
    exchange.answer(solve_interface<V, P, B, Cluster>(exchange.of_group(), p.of_group, nodes,
                                                      s.systems, from_blocks, monitor_other));
  }
  __syncthreads();
  return exchange.down(exchange.answered());
}

/// Holds what a thread of the block keeps from tile to tile.
template <pivoting P, kernel_variant M>
struct block_state {
  const geometry& g;
  const typed_operands<V>& o;
  const tensor_maps& maps;
  const interleaved_shape& s;
  unsigned char* memory;
  int rank;
  tile_iterator<persistent<P, M>> tiles;
  tma::mbarrier mbarrier;
  dsmem_exchange<clustered<M>> from_blocks;
};

/// Holds what a thread uses for one tile, computed again for each: there are no registers to keep
/// it all in.
template <pivoting P, kernel_variant M>
struct tile_context {
  const interleaved_shape& s;
  interleaved_memory<V, P> m;
  tile<P, M> t;
  dsmem_exchange<clustered<M>>& from_blocks;

  __device__ __forceinline__ explicit tile_context(block_state<P, M>& b)
      : s(b.s),
        m(b.s, b.memory),
        t(b.g, b.o, b.maps, b.s, m.arrays, m.bases, b.mbarrier, b.rank, b.tiles),
        from_blocks(b.from_blocks) {}
};

/// Describes a thread's chunk of a round, and the work of its block, for block_solver.
template <pivoting P, boundary B, kernel_variant M>
struct chunk_work {
  places p;
  int system, n;
  chunk_view rows;
  const solve_status& found;
  dsmem_exchange<clustered<M>>& from_blocks;
  tile_context<P, M>& w;

  __device__ __forceinline__ chunk_work(const block_state<P, M>& b, tile_context<P, M>& of_tile,
                                        int round)
      : p(b.s, b.rank, of_tile.t.rows(), round),
        system(p.system),
        n(idle(of_tile) ? 0 : min(b.s.chunk_rows, of_tile.t.rows() - p.chunk * b.s.chunk_rows)),
        rows(of_tile.t, b.s, p.system, p.chunk * b.s.chunk_rows, b.g.conjugate),
        found(of_tile.m.found),
        from_blocks(of_tile.from_blocks),
        w(of_tile) {}

  // Lanes whose systems run out work on nothing.
  __device__ __forceinline__ bool idle() const { return idle(w); }
  __device__ __forceinline__ bool united() const { return false; }
  __device__ __forceinline__ int rows_below() const { return p.rows_below(w.s); }

  template <pivoting Q, class Monitor, class Mark>
  __device__ __forceinline__ unknowns_of<Q> solve_interface(const equations_of<Q>& mine,
                                                            Monitor& monitor, Mark mark) {
    Monitor monitor_other;
    if (Q == pivoting::none && w.t.has_next()) w.t.fence_proxy_async();
    const auto unknowns = solve_chunks<Q, P, B, clustered<M>>(
        mine, p, w.s, w.m, from_blocks, monitor, monitor_other, [&] {
          if (Q == pivoting::none && threadIdx.x == 0) w.t.load_diag_async();
        });
    if (!monitor.bounded) mark(system);
    if (!monitor_other.bounded && p.of_group.system >= 0) mark(p.of_group.system);
    return unknowns;
  }
  /// In rounds, a thread brings in the system that it has: the ones before are solved.
  template <class Which>
  __device__ __forceinline__ void load_again(bool all, Which which) {
    constexpr bool one_round = M != kernel_variant::in_rounds;
    w.t.fence_proxy_async();
    __syncthreads();
    w.t.load(all && one_round, [&](int k) { return (one_round || k == system) && which(k); });
  }

 private:
  __device__ __forceinline__ bool idle(const tile_context<P, M>& of_tile) const {
    return system >= of_tile.t.systems();
  }
};

/// Solves the systems that came out not finite, after the others have been stored: the tile is
/// free. Those without a solution are filled with NaN.
template <pivoting P, boundary B>
__device__ __noinline__ void solve_left(const geometry& g, const typed_operands<V>& o,
                                        const interleaved_shape& s, index_t first, int systems,
                                        V* room, const int* failed) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  const index_t values_a_row = geometry::inputs * s.array_pitch / s.rows;
  for (int i = 0; i < systems; ++i) {
    if (failed[i] < overflowed) {
      if (failed[i] != 0) fill_alone(g, o.x, first + i);
      continue;
    }
    // Other blocks have put what they have where x of one that overflowed is.
    const index_t row_room = failed[i] == unsolved ? values_a_row : 0;
    solve_alone<V, P, B>(g, o, first + i, row_room, {room, values_a_row, 1});
  }
}

/// Waits for the tile whose load has been started.
template <pivoting P, kernel_variant M>
__device__ __forceinline__ void bring_in(block_state<P, M>& b, tile_context<P, M>& w) {
  block_for(2 * b.s.systems, b.s.threads(), [&](int i) { w.m.found.unstable[i] = 0; });
  w.t.find_bases();
  __syncthreads();
  w.t.load();
  b.from_blocks.may_send();
}

/// Stores the tile's solution, and the statuses of its systems.
template <pivoting P, boundary B, kernel_variant M>
__device__ __forceinline__ void take_out(block_state<P, M>& b, tile_context<P, M>& w) {
  tile<P, M>& t = w.t;
  const solve_status& found = w.m.found;
  t.fence_proxy_async();
  __syncthreads();
  found.send_statuses(b.s.systems, b.rank, b.s.blocks, b.from_blocks);
  const auto is_unsolved = [&](int system) { return found.is_unsolved(system); };
  bool left = found.any_open(t.systems());
  t.store(left, is_unsolved);
  if constexpr (clustered<M>) {
    left = found.receive_statuses(b.s.systems, b.s.blocks, b.from_blocks);
    if (left) wait_for_stores();
    if (b.rank > 0) return;
    if (left) found.join(b.s.systems, b.s.blocks);
  }
  block_for(b.o.status ? t.systems() : 0, b.s.threads(), [&](int i) {
    if (!found.is_open(i)) b.o.status[t.offset(layout::status, i)] = found.status(i, b.s.rows);
  });
  if (!left) return;
  t.borrow(
      [&] { solve_left<P, B>(b.g, b.o, b.s, t.number(0), t.systems(), w.m.arrays, found.failed); });
}

template <pivoting P, boundary B, kernel_variant M>
__global__ void __launch_bounds__(most_threads_for<P, M>)
    interleaved_kernel(const __grid_constant__ geometry g,
                       const __grid_constant__ typed_operands<V> o,
                       const __grid_constant__ tensor_maps maps,
                       const __grid_constant__ interleaved_shape s) {
  extern __shared__ __align__(128) unsigned char memory[];
  // Clusters of neighbours that work apart are filled up with blocks that have nothing to do.
  if (!clustered<M> && blockIdx.x >= static_cast<unsigned>(s.schedule.tiles)) return;
  const block_place at = this_place<clustered<M>>();
  const interleaved_memory<V, P> m(s, memory);
  block_state<P, M> b{g,
                      o,
                      maps,
                      s,
                      memory,
                      at.rank,
                      tile_iterator<persistent<P, M>>(s.schedule, at.group),
                      tma::mbarrier(m.mbarrier),
                      dsmem_exchange<clustered<M>>(m.dsmem_exchange)};
  b.mbarrier.start();
  b.from_blocks.start();
  if (threadIdx.x == 0) tile_context<P, M>(b).t.load_all_async();
  while (true) {
    tile_context w(b);
    bring_in(b, w);
#pragma unroll 1
    for (int round = 0; round < (M == kernel_variant::in_rounds ? s.rounds() : 1); ++round) {
      chunk_work<P, B, M> c(b, w, round);
      block_solver<V, P, B, clustered<M>>::solve(c);
    }
    take_out<P, B>(b, w);
    if (!b.tiles.has_next()) break;
    b.from_blocks.has_read();
    b.tiles.advance();
    __syncthreads();
  }
}

template <pivoting P, boundary B>
auto kernel_for(const interleaved_shape& s) {
  if constexpr (can_take_rounds(sizeof(V))) {
    if (s.rounds() > 1) return interleaved_kernel<P, B, kernel_variant::in_rounds>;
  }
  return s.blocks > 1 ? interleaved_kernel<P, B, kernel_variant::in_clusters>
                      : interleaved_kernel<P, B, kernel_variant::at_once>;
}

template <pivoting P, boundary B>
cudaError_t launch(const geometry& g, const operands& o, const interleaved_shape& planned,
                   cudaStream_t stream) {
  interleaved_shape s = planned;
  const tensor_maps maps = s.boxes ? map_tensors(g, o, s, sizeof(V)) : tensor_maps{};
  // Without boxes nothing can be asked for beforehand.
  if (!maps.input) s.schedule = {s.schedule.tiles};
  const int together = std::max(s.blocks, s.neighbours);
  return launch_clusters(kernel_for<P, B>(s), index_t{s.schedule.clusters()} * s.blocks, together,
                         s.threads(), s.shared_bytes, stream, g, solver::typed<V>(o), maps, s);
}

template <pivoting P, boundary B>
interleaved_launches table() {
  return {[](const interleaved_shape& s, std::size_t bytes) {
            const auto kernel = kernel_for<P, B>(s);
            const cudaError_t allowed = allow_shared(kernel, bytes);
            if (allowed != cudaSuccess || s.blocks == 1) return allowed;
            return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
          },
          [](const interleaved_shape& s, int* clusters) {
            return most_clusters(kernel_for<P, B>(s), s.blocks, s.threads(), s.shared_bytes,
                                 clusters);
          },
          &launch<P, B>};
}

}  // namespace

template <class>
interleaved_launches interleaved_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template interleaved_launches interleaved_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
