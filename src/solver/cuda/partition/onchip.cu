// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve systems that fit the chip. The file is compiled once for each value type,
// TRIDIA_VALUE.
#include "solver/cuda/partition/onchip.hpp"

#include "core/dispatch.hpp"
#include "gpu/block.cuh"
#include "solver/cuda/backward/form_bands.cuh"
#include "solver/cuda/partition/block_solver.cuh"
#include "solver/cuda/partition/chunk_view.cuh"
#include "solver/cuda/partition/concatenated_tile.cuh"
#include "solver/cuda/partition/onchip_memory.cuh"
#include "solver/cuda/partition/tile.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using core::chunk;

/// Describes a thread's chunk in a tile, or a group, and the work of its block, for block_solver.
template <boundary B, bool Cluster, class Tile>
class chunk_work {
 public:
  __device__ __forceinline__ chunk_work(Tile& t, const onchip_shape& s, const chunk_place& p,
                                        const onchip_memory<V>& m, const solve_status& f,
                                        dsmem_exchange<Cluster>& dsmem_exchange)
      : system(max(p.system, 0)),
        n(p.at >= 0 ? min(t.chunk_rows(), t.rows() - p.chunk * t.chunk_rows()) : 0),
        rows(t, system, p.chunk * t.chunk_rows()),
        found(f),
        from_blocks(dsmem_exchange),
        t_(t),
        s_(s),
        p_(p),
        m_(m) {}

  __device__ __forceinline__ bool idle() const { return p_.system < 0; }
  __device__ __forceinline__ bool united() const { return s_.systems_a_warp == 1; }
  __device__ __forceinline__ int rows_below() const {
    if constexpr (Cluster) {
      return static_cast<int>(s_.rows - t_.first_row()) - p_.chunk * t_.chunk_rows();
    } else {
      return 0;  // nobody asks
    }
  }
  template <pivoting Q, class Monitor, class Mark>
  __device__ __forceinline__ typename chunk<V, Q>::unknowns solve_interface(
      const typename chunk<V, Q>::equations& mine, Monitor& monitor, Mark mark) {
    auto* const of_warps = static_cast<typename chunk<V, Q>::equations*>(m_.nodes);
    const nodes_of<V, Q> nodes{of_warps, of_warps + s_.threads / warp_size};
    const auto unknowns = cuda::solve_interface<V, Q, B, Cluster>(mine, p_, nodes, t_.systems(),
                                                                  from_blocks, monitor);
    if (!idle() && !monitor.bounded) mark(system);
    return unknowns;
  }
  template <class Which>
  __device__ __forceinline__ void load_again(bool all, Which which) {
    t_.load_again(all, which);
  }

  int system, n;
  chunk_view<V> rows;
  const solve_status& found;
  dsmem_exchange<Cluster>& from_blocks;

 private:
  Tile& t_;
  const onchip_shape& s_;
  const chunk_place& p_;
  const onchip_memory<V>& m_;
};

/// Enters the statuses, and tries systems that are left once more, if there is room for it. What
/// has no solution is filled with NaN: in a cluster, where others may have stored some of it.
template <pivoting P, boundary B, bool Cluster, class Tile>
__device__ __forceinline__ void report(const geometry& g, const typed_operands<V>& o,
                                       const onchip_shape& s, const Tile& t,
                                       const solve_status& found) {
  block_for(t.matrices(), s.threads, [&](int i) {
    const int system = t.status_entry_of(i);
    if (found.is_open(system)) {
      V* const values = Cluster ? nullptr : t.room_of(i);
      solve_alone<V, P, B>(g, o, t.number(i), Cluster ? 0 : 4, {values, 1, s.array_pitch});
    } else {
      if (o.status) o.status[t.status_of(i)] = found.status(system, s.rows);
      if (Cluster && found.failed[system] != 0) fill_alone(g, o.x, t.number(i));
    }
  });
}

/// Calls f(matrix, lane, lanes) for the matrices of this block: as many threads beside each other
/// have the same one.
template <class Tile, class F>
__device__ __forceinline__ void for_each_matrix(const solution_bands& b, const onchip_shape& s,
                                                const Tile& t, F f) {
  const int thread = static_cast<int>(threadIdx.x);
  const bool alone = !Tile::uneven && s.warps_a_system > 1;
  const int lanes = alone ? s.warps_a_system * warp_size : b.lanes;
  const int first = thread / lanes, step = max(s.threads / lanes, 1);
  for (int i = first; i < t.matrices(); i += step) f(i, thread - first * lanes, lanes);
}

/// Return this block's rows of a matrix, and their place in an array.
template <class Tile>
__device__ __forceinline__ int rows_of(const Tile& t, int matrix) {
  if constexpr (Tile::uneven) {
    return t.rows_of(matrix);
  } else {
    return t.rows();
  }
}
template <class Tile>
__device__ __forceinline__ V* place_of(const Tile& t, int array, int matrix) {
  if constexpr (Tile::uneven) {
    return t.place_of(array, matrix);
  } else {
    return t.array(array, matrix);
  }
}

/// Asks for x of this block's rows, so that it is in the second-level cache when it is loaded.
template <class Tile>
__device__ __forceinline__ void prefetch_x(const formed_bands<V>& b, const onchip_shape& s,
                                           const Tile& t) {
  constexpr int together = cache_line / sizeof(V);
  if (b.lines[forward_x].step != 1) return;
  for_each_matrix(b, s, t, [&](int i, int lane, int lanes) {
    const line_at<V> x = stored_x(b, t.number(i));
    const index_t first = t.first_row(), end = first + rows_of(t, i);
    for (index_t k = first + lane * together; k < end; k += lanes * together) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(x.at(k)));
    }
  });
}
/// Loads x of this block's rows to the place that sub of its systems had.
template <class Tile>
__device__ __forceinline__ void load_x_async(const formed_bands<V>& b, const onchip_shape& s,
                                             const Tile& t) {
  for_each_matrix(b, s, t, [&](int i, int lane, int lanes) {
    const line_at<V> x = stored_x(b, t.number(i));
    V* const to = place_of(t, layout::sub, i);
#pragma unroll 4
    for (int k = lane; k < rows_of(t, i); k += lanes) copy_element(to + k, x.at(t.first_row() + k));
  });
}

/// Forms the gradients of this block's rows, once x is there. Those of systems without a solution
/// are not right.
template <class Tile>
__device__ __forceinline__ void form_bands(const formed_bands<V>& b, const onchip_shape& s,
                                           const Tile& t) {
  for_each_matrix(b, s, t, [&](int i, int lane, int lanes) {
    const index_t first = t.first_row(), all = s.blocks > 1 ? s.rows : rows_of(t, i);
    const line_at<V> x{place_of(t, layout::sub, i), 1, first},
        y{place_of(t, layout::rhs, i), 1, first};
    band_former<V>(b, t.number(i), x, y, all).form(first, first + rows_of(t, i), lane, lanes);
  });
}
/// Forms the gradients of systems that had no solution on the chip, once `report` has stored one,
/// or NaN, and after a barrier.
template <class Tile>
__device__ __forceinline__ void form_reported_bands(const formed_bands<V>& b, const geometry& g,
                                                    const typed_operands<V>& o,
                                                    const onchip_shape& s, const Tile& t,
                                                    const solve_status& found) {
  for_each_matrix(b, s, t, [&](int i, int lane, int lanes) {
    if (found.failed[t.status_entry_of(i)] == 0) return;
    const index_t matrix = t.number(i), all = s.blocks > 1 ? s.rows : rows_of(t, i);
    const line_at<V> x = stored_x(b, matrix), y = stored_line(g, o.x, matrix);
    band_former<V>(b, matrix, x, y, all).form(0, all, lane, lanes);
  });
}

/// Solves the systems of a block or cluster, and forms the gradients of their matrices if `Bands`
/// says so. `Tile` says how a block holds its systems: one by one
/// (`tile`) or concatenated (`concatenated_tile`).
template <pivoting P, boundary B, bool Cluster, class Tile, class Bands>
__global__ void __launch_bounds__(most_threads_of(P))
    onchip_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ onchip_shape s, const __grid_constant__ tensor_maps maps,
                  const __grid_constant__ Bands bands) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  using in_block = block_solver<V, P, B, Cluster>;
  onchip_memory<V> m(memory, s, in_block::node_bytes);
  const solve_status found{m.flags, m.flags + s.systems, m.of_blocks};
  Tile t(g, o, Cluster ? nullptr : &maps, s, m.arrays, m.places, m.mbarrier, this_place<Cluster>());
  m.mbarrier.start(Tile::expecting);
  dsmem_exchange<Cluster> from_blocks(m.dsmem_exchange);
  from_blocks.start();
  t.load_async();
  // This is done while the systems are loaded.
  block_for(2 * s.systems, s.threads, [&](int i) { m.flags[i] = 0; });
  if constexpr (Bands::any) prefetch_x(bands, s, t);
  constexpr bool uneven = Cluster || Tile::uneven;
  const chunk_place p = place_of<uneven>(s, t);
  t.wait_loaded();
  from_blocks.may_send();
  chunk_work<B, Cluster, Tile> work(t, s, p, m, found, from_blocks);
  in_block::solve(work);
  t.fence_proxy_async();
  __syncthreads();
  found.send_statuses(t.systems(), t.rank(), s.blocks, from_blocks);
  const bool open = found.any_open(t.systems());
  // Without a cluster, the tile's copy of an unsolved system is the memory in which it is solved
  // again, so this is done before the tile is stored.
  if (!Cluster && open) report<P, B, Cluster>(g, o, s, t, found);
  if constexpr (Bands::any) {
    if (open) __syncthreads();
    load_x_async(bands, s, t);
  }
  t.store(open, [&](int system) { return found.is_unsolved(system); });
  if constexpr (Bands::any) {
    wait_for_copies();
    __syncthreads();
    form_bands(bands, s, t);
  }
  [[maybe_unused]] bool reported = open;
  if (Cluster) {
    const bool failed = found.receive_statuses(t.systems(), s.blocks, from_blocks);
    if (failed) wait_for_stores();
    if (failed && t.rank() == 0) found.join(t.systems(), s.blocks);
    if (t.rank() == 0 && (failed || o.status)) report<P, B, Cluster>(g, o, s, t, found);
    reported = failed && t.rank() == 0;
  }
  if constexpr (Bands::any) {
    if (reported) {
      __syncthreads();
      form_reported_bands(bands, g, o, s, t, found);
    }
  }
  if (!Cluster && !open) {
    block_for(o.status ? t.matrices() : 0, s.threads, [&](int i) { o.status[t.status_of(i)] = 0; });
  }
  t.wait_stored();
}

template <pivoting P, boundary B, class Bands>
auto kernel_for(const onchip_shape& s) {
  if constexpr (B == boundary::regular) {
    if (s.concatenated) return onchip_kernel<P, B, false, concatenated_tile<V>, Bands>;
  }
  return s.blocks > 1 ? onchip_kernel<P, B, true, tile<V>, Bands>
                      : onchip_kernel<P, B, false, tile<V>, Bands>;
}

template <pivoting P, boundary B, class Bands>
cudaError_t launch(const geometry& g, const operands& o, const onchip_shape& s, const Bands& bands,
                   cudaStream_t stream) {
  const index_t groups =
      s.concatenated ? s.group_count : (g.matrices.size + s.systems - 1) / s.systems;
  return launch_clusters(kernel_for<P, B, Bands>(s), groups * s.blocks, s.blocks, s.threads,
                         s.shared_bytes, stream, g, solver::typed<V>(o), s,
                         s.boxes ? map_tensors(g, o, s, sizeof(V)) : tensor_maps{}, bands);
}

template <pivoting P, boundary B, class Bands>
cudaError_t prepare(const onchip_shape& s, std::size_t bytes) {
  return allow_shared(kernel_for<P, B, Bands>(s), bytes);
}

template <pivoting P, boundary B>
onchip_launches table() {
  return {&prepare<P, B, no_bands>,
          [](const geometry& g, const operands& o, const onchip_shape& s, cudaStream_t stream) {
            return launch<P, B>(g, o, s, no_bands{}, stream);
          },
          &prepare<P, B, formed_bands<V>>,
          [](const geometry& g, const operands& o, const onchip_shape& s, const solution_bands& b,
             const solver::product_operands& p,
             cudaStream_t stream) { return launch<P, B>(g, o, s, with_arrays<V>(b, p), stream); }};
}

}  // namespace

template <class>
onchip_launches onchip_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template onchip_launches onchip_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
