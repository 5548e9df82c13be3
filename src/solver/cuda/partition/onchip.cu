// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems that fit the chip. Compiled once for each value type, TRIDIA_VALUE.
#include "solver/cuda/partition/onchip.hpp"

#include "core/dispatch.hpp"
#include "gpu/block.cuh"
#include "solver/cuda/partition/block.cuh"
#include "solver/cuda/partition/findings.cuh"
#include "solver/cuda/partition/interface.cuh"
#include "solver/cuda/partition/piece.cuh"
#include "solver/cuda/partition/tile.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using core::chunk;

template <pivoting P>
__device__ __forceinline__ nodes_of<V, P> nodes_in(const block_memory<V>& m,
                                                   const onchip_shape& s) {
  auto* const first = static_cast<typename chunk<V, P>::equations*>(m.nodes);
  return {first, first + s.threads / warp_size};
}

template <bool Cluster, class Tile>
__device__ __forceinline__ void overflow(const Tile& t, const onchip_shape& s, const chunk_place& p,
                                         int n, const chunk_rows<V>& rows, const findings& found,
                                         const mail<Cluster>& from_blocks) {
  int below = 0;
  if constexpr (Cluster) {
    below = static_cast<int>(s.rows - t.first_row()) - p.chunk * t.chunk_rows();
  }
  found.overflow(from_blocks, p.system, n, rows, below);
}

/// Every thread's chunk solved in place: x takes the place of rhs.
template <pivoting P, boundary B, bool Cluster>
struct block_solver;

template <boundary B, bool Cluster>
struct block_solver<pivoting::none, B, Cluster> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::none>::equations);

  template <class Tile>
  static __device__ __forceinline__ void solve(Tile& t, const onchip_shape& s, const chunk_place& p,
                                               const block_memory<V>& m, const findings& found,
                                               mail<Cluster>& from_blocks) {
    using C = chunk<V, pivoting::none>;
    const int first = p.chunk * t.chunk_rows(), n = min(t.chunk_rows(), t.rows() - first);
    typename C::equations e{};
    watcher<false, Cluster> watch;
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    if (p.at >= 0) e = C::template reduce<true>(n, rows, watch);
    const auto ends = solve_interface<V, pivoting::none, B, Cluster>(
        e, p, nodes_in<pivoting::none>(m, s), t.systems(), from_blocks, watch);
    if (p.system >= 0 && !watch.calm) found.bad[p.system] = unsolved;
    if (p.at >= 0 && !C::expand(n, rows, ends)) overflow(t, s, p, n, rows, found, from_blocks);
  }
};

/// Without interchanges first, with an eye on the pivots, unless that is in vain: the systems whose
/// numbers grow are brought in once more, most likely from the second-level cache, and solved with
/// pivoting. Blocks of a cluster have to agree about each system: one that thinks it in vain says
/// so instead of trying.
template <boundary B, bool Cluster>
struct block_solver<pivoting::partial, B, Cluster> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::partial>::equations);

  template <class Tile>
  static __device__ __forceinline__ void solve(Tile& t, const onchip_shape& s, const chunk_place& p,
                                               const block_memory<V>& m, const findings& found,
                                               mail<Cluster>& from_blocks) {
    const int first = p.chunk * t.chunk_rows();
    int n = p.at >= 0 ? min(t.chunk_rows(), t.rows() - first) : 0;
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    const bool idle = p.system < 0;
    vote(rows, n, p.system, s.systems_a_warp == 1, found);
    bool grown = !idle && found.is_grown(p.system);
    if (Cluster || !__syncthreads_and(grown || idle)) {
      attempt(t, s, p, grown, n, rows, m, found, from_blocks);
      grown = !idle && found.is_grown(p.system);
      if (!__syncthreads_or(grown)) return;
      from_blocks.has_read();
      const bool spoiled = !idle && found.is_spoiled(p.system);
      if (__syncthreads_or(spoiled)) {
        t.load_again(__syncthreads_and(spoiled || idle),
                     [&](int system) { return found.is_spoiled(system); });
      }
      from_blocks.may_send();
    }
    using C = chunk<V, pivoting::partial>;
    watcher<false, Cluster> watch;
    typename C::equations e{};
    typename C::middle middle;
    if (!grown) n = 0;
    if (n > 0) e = C::template reduce<true>(n, rows, middle);
    const auto ends = solve_interface<V, pivoting::partial, B, Cluster>(
        e, p, nodes_in<pivoting::partial>(m, s), t.systems(), from_blocks, watch);
    if (grown && !watch.calm) found.bad[p.system] = unsolved;
    if (n > 0 && !C::expand(n, rows, ends, middle)) found.overflow(from_blocks, p.system);
  }

 private:
  template <class Tile>
  static __device__ __forceinline__ void attempt(const Tile& t, const onchip_shape& s,
                                                 const chunk_place& p, bool in_vain, int n,
                                                 chunk_rows<V>& rows, const block_memory<V>& m,
                                                 const findings& found,
                                                 mail<Cluster>& from_blocks) {
    using C = chunk<V, pivoting::none>;
    typename C::equations e{};
    watcher<true, Cluster> watch{!in_vain};
    if (n > 0 && !in_vain) e = C::template reduce<true>(n, rows, watch);
    const auto ends = solve_interface<V, pivoting::none, B, Cluster>(
        e, p, nodes_in<pivoting::none>(m, s), t.systems(), from_blocks, watch);
    if (p.system >= 0 && !watch.calm) found.spoil(p.system);
    __syncthreads();
    if (n > 0 && !found.is_grown(p.system) && !C::expand(n, rows, ends)) {
      overflow(t, s, p, n, rows, found, from_blocks);
    }
  }
};

/// The statuses, and another attempt at systems that are left, if there is room for it. What has
/// no solution is filled with NaN: in a cluster, where others may have stored some of it.
template <pivoting P, boundary B, bool Cluster, class Tile>
__device__ __forceinline__ void report(const geometry& g, const typed_operands<V>& o,
                                       const onchip_shape& s, const Tile& t,
                                       const findings& found) {
  share(t.matrices(), s.threads, [&](int i) {
    const int system = t.finding_of(i);
    if (found.is_open(system)) {
      V* const words = Cluster ? nullptr : t.room_of(i);
      solve_alone<V, P, B>(g, o, t.number(i), Cluster ? 0 : 4, {words, 1, s.array_pitch});
    } else {
      if (o.status) o.status[t.status_of(i)] = found.status(system, s.rows);
      if (Cluster && found.bad[system] != 0) fill_alone(g, o.x, t.number(i));
    }
  });
}

/// `Tile`: how a block holds its systems, one by one (`tile`) or joined (`piece`).
template <pivoting P, boundary B, bool Cluster, class Tile>
__global__ void __launch_bounds__(most_threads_of(P))
    onchip_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ onchip_shape s,
                  const __grid_constant__ tensor_maps maps) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  block_memory<V> m(memory, s, block_solver<P, B, Cluster>::node_bytes);
  const findings found{m.flags, m.flags + s.systems, m.of_blocks};
  Tile t(g, o, Cluster ? nullptr : &maps, s, m.arrays, m.places, m.arrival, this_place<Cluster>());
  m.arrival.start(Tile::expecting);
  mail<Cluster> from_blocks(m.mail);
  from_blocks.start();
  t.ask();
  // While the systems are on their way.
  share(2 * s.systems, s.threads, [&](int i) { m.flags[i] = 0; });
  constexpr bool uneven = Cluster || Tile::uneven;
  const chunk_place p = place_of<uneven>(s, t);
  t.receive();
  from_blocks.may_send();
  block_solver<P, B, Cluster>::solve(t, s, p, m, found, from_blocks);
  t.publish();
  __syncthreads();
  found.tell(t.systems(), t.rank(), s.blocks, from_blocks);
  const bool open = found.any_open(t.systems());
  // Without a cluster the place of a system that is left is room to solve it, until the tile goes.
  if (!Cluster && open) report<P, B, Cluster>(g, o, s, t, found);
  t.give(open, [&](int system) { return found.is_unsolved(system); });
  if (Cluster) {
    const bool failed = found.hear(t.systems(), s.blocks, from_blocks);
    if (failed) wait_for_stores();
    if (failed && t.rank() == 0) found.join(t.systems(), s.blocks);
    if (t.rank() == 0 && (failed || o.status)) report<P, B, Cluster>(g, o, s, t, found);
  }
  if (!Cluster && !open) {
    share(o.status ? t.matrices() : 0, s.threads, [&](int i) { o.status[t.status_of(i)] = 0; });
  }
  t.wait_given();
}

template <pivoting P, boundary B>
auto kernel_for(const onchip_shape& s) {
  if constexpr (B == boundary::regular) {
    if (s.joined) return onchip_kernel<P, B, false, piece<V>>;
  }
  return s.blocks > 1 ? onchip_kernel<P, B, true, tile<V>> : onchip_kernel<P, B, false, tile<V>>;
}

template <pivoting P, boundary B>
cudaError_t launch(const geometry& g, const operands& o, const onchip_shape& s,
                   cudaStream_t stream) {
  const index_t groups = s.joined ? s.piece_count : (g.matrices.size + s.systems - 1) / s.systems;
  return launch_clusters(kernel_for<P, B>(s), groups * s.blocks, s.blocks, s.threads,
                         s.shared_bytes, stream, g, solver::typed<V>(o), s,
                         s.boxes ? map_tensors(g, o, s, sizeof(V)) : tensor_maps{});
}

template <pivoting P, boundary B>
onchip_launches table() {
  return {[](const onchip_shape& s, std::size_t bytes) {
            return allow_shared(kernel_for<P, B>(s), bytes);
          },
          &launch<P, B>};
}

}  // namespace

template <class>
onchip_launches onchip_kernels(pivoting p, boundary b) {
  return core::with_variant(p, b,
                            [](auto v) { return table<decltype(v)::pivots, decltype(v)::ends>(); });
}
template onchip_launches onchip_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
