// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems that fit the chip. Compiled once for each value type: TRIDIA_VALUE and TRIDIA_ONCHIP are
// given.
#include "core/dispatch.hpp"
#include "solver/cuda/block.cuh"
#include "solver/cuda/interface.cuh"
#include "solver/cuda/onchip.hpp"
#include "solver/cuda/tile.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using core::chunk;

template <pivoting P>
__device__ __forceinline__ nodes_of<V, P> nodes_in(void* memory, const onchip_shape& s) {
  auto* const first = static_cast<typename chunk<V, P>::equations*>(memory);
  return {first, first + s.threads / warp_size};
}

/// What the systems of a block are found to be, an entry each, 0 at first: by numbers that grow
/// without pivoting, or that are not finite. All blocks of a cluster have the same entries after
/// the next `meet`.
struct findings {
  int *grown, *bad;
};

template <bool Cluster>
__device__ __forceinline__ void mark(int* found, int system, const onchip_shape& s) {
  if constexpr (Cluster) {
    for (int rank = 0; rank < s.blocks; ++rank) cluster::at(found, rank)[system] = 1;
  } else {
    found[system] = 1;
  }
}

/// A barrier of the block, or of the cluster.
template <bool Cluster>
__device__ __forceinline__ void meet() {
  if constexpr (Cluster) {
    cluster::sync();
  } else {
    __syncthreads();
  }
}

/// Every thread's chunk solved in place: x takes the place of rhs.
template <pivoting P, boundary B, bool Cluster>
struct block_solver;

template <boundary B, bool Cluster>
struct block_solver<pivoting::none, B, Cluster> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::none>::equations);

  static __device__ __forceinline__ void solve(tile<V>& t, const onchip_shape& s,
                                               const chunk_place& p, void* nodes,
                                               const findings& found) {
    using C = chunk<V, pivoting::none>;
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    const auto ignore = [](const V&) {};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    if (p.at >= 0) e = C::template reduce<true>(n, rows, ignore);
    const auto ends = solve_interface<V, pivoting::none, B, Cluster>(
        e, p, nodes_in<pivoting::none>(nodes, s), ignore);
    if (p.at >= 0 && !C::expand(n, rows, ends)) mark<Cluster>(found.bad, p.system, s);
  }
};

/// Without interchanges first, with an eye on the pivots. The systems whose numbers grow are
/// brought in once more, most likely from the second-level cache, and solved with pivoting.
template <boundary B, bool Cluster>
struct block_solver<pivoting::partial, B, Cluster> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::partial>::equations);

  static __device__ __forceinline__ void solve(tile<V>& t, const onchip_shape& s,
                                               const chunk_place& p, void* nodes,
                                               const findings& found) {
    using C = chunk<V, pivoting::none>;
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    bool calm = true;
    const auto watch = [&](const V& v) { calm = calm && core::is_calm(v); };
    if (p.at >= 0) e = C::template reduce<true>(n, rows, watch);
    const auto ends = solve_interface<V, pivoting::none, B, Cluster>(
        e, p, nodes_in<pivoting::none>(nodes, s), watch);
    if (p.system >= 0 && !calm) mark<Cluster>(found.grown, p.system, s);
    meet<Cluster>();
    const bool grown = p.system >= 0 && found.grown[p.system] != 0;
    if (p.at >= 0 && !grown && !C::expand(n, rows, ends)) mark<Cluster>(found.bad, p.system, s);
    const bool all = __syncthreads_and(grown || p.system < 0);
    if (__syncthreads_or(grown)) solve_again(t, s, p, n, rows, grown, all, nodes, found);
  }

 private:
  static __device__ __noinline__ void solve_again(tile<V>& t, const onchip_shape& s,
                                                  const chunk_place& p, int n, chunk_rows<V>& rows,
                                                  bool grown, bool all, void* nodes,
                                                  const findings& found) {
    using C = chunk<V, pivoting::partial>;
    t.load_again(all, [&](int system) { return found.grown[system] != 0; });
    typename C::equations e{};
    const bool mine = p.at >= 0 && grown;
    if (mine) e = C::reduce(n, rows);
    const auto ends = solve_interface<V, pivoting::partial, B, Cluster>(
        e, p, nodes_in<pivoting::partial>(nodes, s), [](const V&) {});
    if (mine && !C::expand(n, rows, ends)) mark<Cluster>(found.bad, p.system, s);
  }
};

/// A system that came out not finite: one thread solves it as it was given, if what that keeps has
/// room where the system was, and finds out what is wrong with it.
template <pivoting P, boundary B>
__device__ __noinline__ void solve_alone(const geometry& g, const typed_operands<V>& o,
                                         index_t matrix, V* words, int word_step) {
  if constexpr (solver::word_counts<V, P, B>::kept <= 4) {
    if (words) return solver::solve_system<V, P, B>(g, o, matrix, {words, 1, word_step});
  }
  if (o.status) {
    solver::enter_status(g, o.status, matrix, 0, solver::diagnose_system<V, P, B>(g, o, matrix));
  }
}

template <pivoting P, boundary B, bool Cluster>
__global__ void __launch_bounds__(most_threads)
    onchip_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ onchip_shape s) {
  extern __shared__ __align__(16) unsigned char memory[];
  const block_memory<V> m(memory, s, block_solver<P, B, Cluster>::node_bytes);
  const findings found{m.flags, m.flags + s.systems};
  tile<V> t(g, o, s, m.arrays, m.offsets, m.arrival, blockIdx.x);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * s.systems; i += s.threads) m.flags[i] = 0;
  t.load();
  const chunk_place p = place_of<Cluster>(s, t.systems(), t.rows(), t.rank());
  block_solver<P, B, Cluster>::solve(t, s, p, m.nodes, found);
  t.publish();
  meet<Cluster>();
  bool any_bad = false;
  for (int i = static_cast<int>(threadIdx.x); i < t.systems(); i += s.threads) {
    const bool bad = found.bad[i] != 0;
    any_bad = any_bad || bad;
    if (Cluster && t.rank() > 0) continue;
    if (bad) {
      solve_alone<P, B>(g, o, t.number(i), Cluster ? nullptr : t.array(0, i), s.array_pitch);
    } else if (o.status) {
      o.status[t.offset(layout::status, i)] = 0;
    }
  }
  any_bad = __syncthreads_or(any_bad);
  t.store(any_bad, [&](int system) { return found.bad[system] != 0; });
}

template <pivoting P, boundary B>
cudaError_t launch(const geometry& g, const operands& o, const onchip_shape& s,
                   cudaStream_t stream) {
  const index_t groups = (g.matrices.size + s.systems - 1) / s.systems;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(s.blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(groups * s.blocks);
  config.blockDim = static_cast<unsigned>(s.threads);
  config.dynamicSmemBytes = s.shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = s.blocks > 1 ? 1 : 0;
  const auto kernel = s.blocks > 1 ? onchip_kernel<P, B, true> : onchip_kernel<P, B, false>;
  return cudaLaunchKernelEx(&config, kernel, g, solver::typed<V>(o), s);
}

template <pivoting P, boundary B>
onchip_launches table() {
  return {[](bool cluster, std::size_t bytes) {
            return cudaFuncSetAttribute(
                cluster ? onchip_kernel<P, B, true> : onchip_kernel<P, B, false>,
                cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
          },
          &launch<P, B>};
}

}  // namespace

onchip_launches TRIDIA_ONCHIP(pivoting p, boundary b) {
  return core::with_variant(p, b,
                            [](auto v) { return table<decltype(v)::pivots, decltype(v)::ends>(); });
}

}  // namespace tridia::cuda
