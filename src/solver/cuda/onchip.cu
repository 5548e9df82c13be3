// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems that fit the chip. Compiled once for each value type: TRIDIA_VALUE and TRIDIA_ONCHIP are
// given.
#include "solver/cuda/interface.cuh"
#include "solver/cuda/onchip.hpp"
#include "solver/cuda/tile.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using core::chunk;

/// The most threads of a block.
constexpr int most_threads = 512;

template <pivoting P>
__device__ __forceinline__ nodes_of<V, P> nodes_in(void* memory, const onchip_shape& s) {
  auto* const first = static_cast<typename chunk<V, P>::equations*>(memory);
  return {first, first + s.threads / warp_size};
}

/// This thread's place, in a block with `rows` rows of `systems` systems.
__device__ __forceinline__ chunk_place place_of(const onchip_shape& s, int systems, int rows,
                                                int rank) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int chunks = s.blocks > 1 ? (rows + s.chunk_rows - 1) / s.chunk_rows : s.chunks;
  chunk_place p{-1, 0, lane, -1, 0, 0, s.warps_a_system, rank, s.blocks};
  if (s.warps_a_system > 1) {
    p.system = warp / s.warps_a_system;
    p.warp = warp - p.system * s.warps_a_system;
    p.chunk = p.warp * warp_size + lane;
    p.count = max(min(warp_size, chunks - p.warp * warp_size), 0);
  } else {
    const int group = lane / s.chunks;
    p.lane = lane - group * s.chunks;
    p.system = group < s.systems_a_warp ? warp * s.systems_a_warp + group : -1;
    p.chunk = p.lane;
    p.count = chunks;
  }
  // The last block of a system may have fewer warps of it than the others.
  if (s.warps_a_system > 1) p.warps = (chunks + warp_size - 1) / warp_size;
  if (p.system >= systems) p.system = -1;
  if (p.system >= 0 && p.chunk < chunks) p.at = p.lane;
  return p;
}

/// What the systems of a block are found to be, an entry each, 0 at first: by numbers that grow
/// without pivoting, or that are not finite.
struct findings {
  int *grown, *bad;
};

/// Makes what any block of the cluster found known to all; a barrier.
__device__ __forceinline__ void agree(int* found, const onchip_shape& s) {
  if (s.blocks == 1) return __syncthreads();
  cluster::sync();
  int any[2] = {};
  for (int i = static_cast<int>(threadIdx.x), k = 0; i < s.systems; i += s.threads, ++k) {
    for (int rank = 0; rank < s.blocks; ++rank) any[k & 1] |= cluster::at(found, rank)[i];
  }
  cluster::sync();
  for (int i = static_cast<int>(threadIdx.x), k = 0; i < s.systems; i += s.threads, ++k) {
    found[i] = any[k & 1];
  }
  __syncthreads();
}

/// Every thread's chunk solved in place: x takes the place of rhs.
template <pivoting P, boundary B>
struct block_solver;

template <boundary B>
struct block_solver<pivoting::none, B> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::none>::equations);

  static __device__ __forceinline__ void solve(const tile<V>& t, const onchip_shape& s,
                                               const chunk_place& p, void* nodes,
                                               const findings& found) {
    using C = chunk<V, pivoting::none>;
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    const auto ignore = [](const V&) {};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    if (p.at >= 0) e = C::template reduce<true>(n, rows, ignore);
    const auto ends =
        solve_interface<V, pivoting::none, B>(e, p, nodes_in<pivoting::none>(nodes, s), ignore);
    if (p.at >= 0 && !C::expand(n, rows, ends)) found.bad[p.system] = 1;
  }
};

/// Without interchanges first, with an eye on the pivots. The systems whose numbers grow are done
/// again with pivoting.
template <boundary B>
struct block_solver<pivoting::partial, B> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::partial>::equations);

  static __device__ __forceinline__ void solve(const tile<V>& t, const onchip_shape& s,
                                               const chunk_place& p, void* nodes,
                                               const findings& found) {
    using C = chunk<V, pivoting::none>;
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    bool calm = true;
    const auto watch = [&](const V& v) { calm = calm && core::is_calm(v); };
    if (p.at >= 0) e = C::template reduce<false>(n, rows, watch);
    const auto ends =
        solve_interface<V, pivoting::none, B>(e, p, nodes_in<pivoting::none>(nodes, s), watch);
    if (p.system >= 0 && !calm) found.grown[p.system] = 1;
    agree(found.grown, s);
    const bool grown = p.system >= 0 && found.grown[p.system] != 0;
    if (p.at >= 0 && !grown) {
      C::template reduce<true>(n, rows, [](const V&) {});
      if (!C::expand(n, rows, ends)) found.bad[p.system] = 1;
    }
    if (__syncthreads_or(grown)) solve_again(p, n, rows, p.at >= 0 && grown, nodes, s, found.bad);
  }

 private:
  static __device__ __noinline__ void solve_again(const chunk_place& p, int n, chunk_rows<V>& rows,
                                                  bool mine, void* nodes, const onchip_shape& s,
                                                  int* bad) {
    using C = chunk<V, pivoting::partial>;
    typename C::equations e{};
    if (mine) e = C::reduce(n, rows);
    const auto ends = solve_interface<V, pivoting::partial, B>(
        e, p, nodes_in<pivoting::partial>(nodes, s), [](const V&) {});
    if (mine && !C::expand(n, rows, ends)) bad[p.system] = 1;
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

template <pivoting P, boundary B>
__global__ void __launch_bounds__(most_threads)
    onchip_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ onchip_shape s) {
  extern __shared__ __align__(16) unsigned char memory[];
  V* const arrays = reinterpret_cast<V*>(memory);
  auto* const offsets = reinterpret_cast<index_t*>(arrays + 4 * s.array_pitch);
  auto* const arrival =
      reinterpret_cast<std::uint64_t*>(offsets + s.systems * layout::array_count);
  auto* const nodes = arrival + 1;
  auto* const flags = reinterpret_cast<int*>(
      reinterpret_cast<unsigned char*>(nodes) +
      (s.threads / warp_size + s.systems) * block_solver<P, B>::node_bytes);
  const findings found{flags, flags + s.systems};
  tile<V> t(g, o, s, arrays, offsets, arrival);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * s.systems; i += s.threads) flags[i] = 0;
  t.load();
  const chunk_place p = place_of(s, t.systems(), t.rows(), t.rank());
  block_solver<P, B>::solve(t, s, p, nodes, found);
  t.publish();
  agree(found.bad, s);
  bool any_bad = false;
  for (int i = static_cast<int>(threadIdx.x); i < t.systems() && t.rank() == 0; i += s.threads) {
    if (found.bad[i]) {
      solve_alone<P, B>(g, o, t.number(i), s.blocks > 1 ? nullptr : t.array(0, i), s.array_pitch);
    } else if (o.status) {
      o.status[t.offset(layout::status, i)] = 0;
    }
  }
  for (int i = static_cast<int>(threadIdx.x); i < t.systems(); i += s.threads) {
    any_bad = any_bad || found.bad[i] != 0;
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
  return cudaLaunchKernelEx(&config, onchip_kernel<P, B>, g, solver::typed<V>(o), s);
}

template <pivoting P, boundary B>
onchip_launches table() {
  return {[](std::size_t bytes) {
            return cudaFuncSetAttribute(onchip_kernel<P, B>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes));
          },
          &launch<P, B>};
}

}  // namespace

onchip_launches TRIDIA_ONCHIP(pivoting p, boundary b) {
  if (p == pivoting::none) {
    return b == boundary::regular ? table<pivoting::none, boundary::regular>()
                                  : table<pivoting::none, boundary::periodic>();
  }
  return b == boundary::regular ? table<pivoting::partial, boundary::regular>()
                                : table<pivoting::partial, boundary::periodic>();
}

}  // namespace tridia::cuda
