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

__device__ __forceinline__ chunk_place place_of(const onchip_shape& s, int systems) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  chunk_place p{-1, 0, -1, 0, 0, s.warps_a_system};
  if (s.warps_a_system > 1) {
    p.system = warp / s.warps_a_system;
    p.warp = warp - p.system * s.warps_a_system;
    p.chunk = p.warp * warp_size + lane;
    p.at = lane;
    p.count = min(warp_size, s.chunks - p.warp * warp_size);
  } else {
    const int group = lane / s.chunks;
    p.system = warp * s.systems_a_warp + group;
    p.chunk = p.at = lane - group * s.chunks;
    p.count = s.chunks;
    if (group >= s.systems_a_warp) p.system = -1;
  }
  if (p.system >= systems || p.chunk >= s.chunks) p.system = -1;
  if (p.system < 0) p.at = -1;
  return p;
}

/// Every thread's chunk solved in place: x takes the place of rhs. `bad` says of each system
/// whether anything in it is not finite; it holds zeros.
template <pivoting P, boundary B>
struct block_solver;

template <boundary B>
struct block_solver<pivoting::none, B> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::none>::equations);

  static __device__ __forceinline__ void solve(const tile<V>& t, const chunk_place& p, int n,
                                               int first, void* nodes, int* bad) {
    using C = chunk<V, pivoting::none>;
    typename C::equations e{};
    const auto ignore = [](const V&) {};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    if (p.system >= 0) e = C::template reduce<true>(n, rows, ignore);
    const auto ends = solve_interface<V, pivoting::none, B>(
        e, p, static_cast<typename C::equations*>(nodes), ignore);
    if (p.system >= 0 && !C::expand(n, rows, ends)) bad[p.system] = 1;
  }
};

/// Without interchanges first, with an eye on the pivots. The systems whose numbers grow are done
/// again with pivoting.
template <boundary B>
struct block_solver<pivoting::partial, B> {
  static constexpr std::size_t node_bytes = sizeof(typename chunk<V, pivoting::partial>::equations);

  static __device__ __forceinline__ void solve(const tile<V>& t, const chunk_place& p, int n,
                                               int first, void* nodes, int* bad) {
    using C = chunk<V, pivoting::none>;
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    bool calm = true;
    const auto watch = [&](const V& v) { calm = calm && core::is_calm(v); };
    if (p.system >= 0) e = C::template reduce<false>(n, rows, watch);
    const auto ends = solve_interface<V, pivoting::none, B>(
        e, p, static_cast<typename C::equations*>(nodes), watch);
    if (p.system >= 0 && !calm) bad[p.system] = 1;
    const bool any = __syncthreads_or(p.system >= 0 && !calm);
    const bool mine = p.system >= 0 && bad[p.system] != 0;
    if (p.system >= 0 && !mine) {
      C::template reduce<true>(n, rows, [](const V&) {});
      if (!C::expand(n, rows, ends)) bad[p.system] = 1;
    }
    if (any) solve_again(p, n, rows, mine, nodes, bad);
  }

 private:
  static __device__ __noinline__ void solve_again(const chunk_place& p, int n, chunk_rows<V>& rows,
                                                  bool mine, void* nodes, int* bad) {
    using C = chunk<V, pivoting::partial>;
    typename C::equations e{};
    if (mine) e = C::reduce(n, rows);
    const auto ends = solve_interface<V, pivoting::partial, B>(
        e, p, static_cast<typename C::equations*>(nodes), [](const V&) {});
    if (mine) bad[p.system] = 0;
    __syncthreads();
    if (mine && !C::expand(n, rows, ends)) bad[p.system] = 1;
  }
};

/// A system that came out not finite: one thread solves it as it was given, if what that keeps has
/// room where the system was, and finds out what is wrong with it.
template <pivoting P, boundary B>
__device__ __noinline__ void solve_alone(const geometry& g, const typed_operands<V>& o,
                                         index_t matrix, V* words, int word_step) {
  if constexpr (solver::word_counts<V, P, B>::kept <= 4) {
    solver::solve_system<V, P, B>(g, o, matrix, {words, 1, word_step});
  } else if (o.status) {
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
  auto* const bad = reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(nodes) +
                                           (s.threads / warp_size) *
                                               block_solver<P, B>::node_bytes);
  tile<V> t(g, o, s, arrays, offsets, arrival);
  for (int i = static_cast<int>(threadIdx.x); i < s.systems; i += s.threads) bad[i] = 0;
  t.load();
  const chunk_place p = place_of(s, t.systems());
  const int first = p.chunk * s.chunk_rows;
  block_solver<P, B>::solve(t, p, min(s.chunk_rows, s.rows - first), first, nodes, bad);
  t.publish();
  __syncthreads();
  bool any_bad = false;
  for (int i = static_cast<int>(threadIdx.x); i < t.systems(); i += s.threads) {
    if (bad[i]) {
      any_bad = true;
      solve_alone<P, B>(g, o, t.number(i), t.array(0, i), s.array_pitch);
    } else if (o.status) {
      o.status[t.offset(layout::status, i)] = 0;
    }
  }
  any_bad = __syncthreads_or(any_bad);
  t.store(any_bad, [&](int system) { return bad[system] != 0; });
}

template <pivoting P, boundary B>
onchip_launches table() {
  return {[](std::size_t bytes) {
            return cudaFuncSetAttribute(onchip_kernel<P, B>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes));
          },
          [](const geometry& g, const operands& o, const onchip_shape& s, cudaStream_t stream) {
            const index_t blocks = (g.matrices.size + s.systems - 1) / s.systems;
            onchip_kernel<P, B><<<static_cast<unsigned>(blocks), s.threads, s.shared_bytes,
                                  stream>>>(g, solver::typed<V>(o), s);
            return cudaGetLastError();
          }};
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
