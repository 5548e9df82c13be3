// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "gpu/device_limits.hpp"
#include "gpu/launch.cuh"
#include "gpu/warp.cuh"
#include "solver/cuda/backward/band_kernels.hpp"
#include "solver/cuda/backward/band_values.cuh"

#include <algorithm>

// These kernels form the gradients of a matrix. Lanes of a warp run along the axis along which
// neighbours lie beside each other in memory: rows, lines, or lines that are summed over.
namespace tridia::cuda {

using namespace gpu;
using solver::array_of;
using solver::band_targets;
using solver::diag_band;
using solver::partial_sums;
using solver::product_array_count;
using solver::sub_band;
using solver::sup_band;
using solver::u_array;
using solver::v_array;

namespace {

/// Reads u and v of a pass and writes its bands. Outputs share no element with u or v, so that
/// loads may go before stores.
template <class V>
struct band_rows {
  const band_pass& p;
  const V* __restrict__ u;
  const V* __restrict__ v;
  const band_targets<V>& t;

  __device__ __forceinline__ V u_at(index_t line, index_t k) const {
    return solver::conjugated_if(p.conjugate_u, u[line + k * p.lines[u_array].step]);
  }
  /// Returns v of row k; 0 where k is -1.
  __device__ __forceinline__ V v_at(index_t line, index_t k) const {
    if (k < 0) return V(0);
    return solver::conjugated_if(p.conjugate_v, v[line + k * p.lines[v_array].step]);
  }
  /// Writes the bands of row k; those outside the matrix as 0.
  __device__ __forceinline__ void put(const index_t (&at)[product_array_count], index_t block,
                                      index_t k, index_t n, const band_values<V>& values) const {
#pragma unroll
    for (int b = 0; b < band_count; ++b) {
      const int a = array_of(b);
      if (t.to[b] == nullptr || !p.is_stored(b, k, n)) continue;
      t.to[b][at[a] + block * t.block_stride + k * p.lines[a].step] =
          p.column(b, k, n) < 0 ? V(0) : values.at[b];
    }
  }
  /// Adds up the products of row k over points first, first + step, … before last.
  __device__ __forceinline__ band_values<V> sum(const index_t (&at)[product_array_count], index_t k,
                                                index_t n, index_t first, index_t last,
                                                index_t step) const {
    band_values<V> sums;
    const index_t before = p.column(sub_band, k, n), after = p.column(sup_band, k, n);
#pragma unroll 4
    for (index_t point = first; point < last; point += step) {
      index_t more[product_array_count];
      p.summed.offsets(point, more);
      const index_t of_u = at[u_array] + more[u_array], of_v = at[v_array] + more[v_array];
      sums.add(u_at(of_u, k), v_at(of_v, before), v_at(of_v, k), v_at(of_v, after));
    }
    return sums;
  }
};

/// Names the rows that a group of threads takes of a line: `rows_of_group` of them, the first for
/// each thread `group` apart.
struct row_groups {
  int group, rows_of_group;

  /// Calls f(point, first row, end) for the chunks of rows of this thread's groups.
  template <class F>
  __device__ __forceinline__ void each(const band_pass& p, F f) const {
    const index_t chunks = (p.rows + rows_of_group - 1) / rows_of_group;
    const int lane = static_cast<int>(threadIdx.x) & (group - 1);
    for (index_t i = thread_index() / group; i < p.kept.size * chunks;
         i += thread_count() / group) {
      const index_t point = chunks > 1 ? i / chunks : i;
      const index_t from = (i - point * chunks) * rows_of_group, n = p.rows_of(point);
      f(point, from + lane, min(from + rows_of_group, n));
    }
  }
};

/// Forms bands of lines whose rows are neighbours, with lanes along rows: rows of v beside a
/// thread's own come from the first-level cache. All rows of a thread are loaded before any is
/// stored: with one at a time too few bytes are on their way.
template <class V>
__global__ void __launch_bounds__(block_threads)
    bands_of_rows_kernel(const __grid_constant__ band_pass p, const row_groups groups, const V* u,
                         const V* v, const __grid_constant__ band_targets<V> t) {
  const band_rows<V> rows{p, u, v, t};
  groups.each(p, [&](index_t point, index_t first, index_t end) {
    index_t at[product_array_count];
    p.begin(point, at);
    const index_t n = p.rows_of(point);
    V u_of[steps_of_group], before[steps_of_group], here[steps_of_group], after[steps_of_group];
#pragma unroll
    for (int j = 0; j < steps_of_group; ++j) {
      const index_t k = first + j * groups.group;
      if (k >= end) break;
      u_of[j] = rows.u_at(at[u_array], k);
      before[j] = rows.v_at(at[v_array], p.column(sub_band, k, n));
      here[j] = rows.v_at(at[v_array], k);
      after[j] = rows.v_at(at[v_array], p.column(sup_band, k, n));
    }
#pragma unroll
    for (int j = 0; j < steps_of_group; ++j) {
      const index_t k = first + j * groups.group;
      if (k >= end) break;
      band_values<V> products;
      products.add(u_of[j], before[j], here[j], after[j]);
      rows.put(at, 0, k, n, products);
    }
  });
}

/// Forms sums over such lines. A row of blocks of the grid takes a block of points.
template <class V>
__global__ void __launch_bounds__(block_threads)
    sums_of_rows_kernel(const __grid_constant__ band_pass p, const sum_blocks blocks,
                        const row_groups groups, const V* u, const V* v,
                        const __grid_constant__ band_targets<V> t) {
  const band_rows<V> rows{p, u, v, t};
  const index_t block = blockIdx.y;
  const index_t first = blocks.first(block), last = blocks.last(block, p.summed.size);
  groups.each(p, [&](index_t point, index_t from, index_t end) {
    index_t at[product_array_count];
    p.begin(point, at);
    const index_t n = p.rows_of(point);
    for (index_t k = from; k < end; k += groups.group)
      rows.put(at, block, k, n, rows.sum(at, k, n, first, last, 1));
  });
}

/// Forms bands of neighbouring lines that have gradients of their own: a thread walks along
/// `rows_of_thread` rows of a line, and reads each row of v once. Some rows are loaded before any
/// is stored.
template <class V>
__global__ void __launch_bounds__(block_threads)
    bands_of_lines_kernel(const __grid_constant__ band_pass p, index_t rows_of_thread, const V* u,
                          const V* v, const __grid_constant__ band_targets<V> t) {
  constexpr int ahead = 4;
  const band_rows<V> rows{p, u, v, t};
  const index_t n = p.rows, walks = (n + rows_of_thread - 1) / rows_of_thread;
  for (index_t i = thread_index(); i < p.kept.size * walks; i += thread_count()) {
    const index_t walk = i / p.kept.size, first = walk * rows_of_thread;
    const index_t last = min(first + rows_of_thread, n);
    index_t at[product_array_count];
    p.begin(i - walk * p.kept.size, at);
    V before = rows.v_at(at[v_array], p.column(sub_band, first, n));
    V here = rows.v_at(at[v_array], first);
    for (index_t k = first; k < last; k += ahead) {
      V u_of[ahead], after[ahead];
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        if (k + j >= last) break;
        u_of[j] = rows.u_at(at[u_array], k + j);
        after[j] = rows.v_at(at[v_array], p.column(sup_band, k + j, n));
      }
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        if (k + j >= last) break;
        band_values<V> products;
        products.add(u_of[j], before, here, after[j]);
        rows.put(at, 0, k + j, n, products);
        before = here;
        here = after[j];
      }
    }
  }
}

/// Forms sums over right-hand sides, say, of neighbouring lines: a thread for each row of a line.
template <class V>
__global__ void __launch_bounds__(block_threads)
    sums_of_lines_kernel(const __grid_constant__ band_pass p, const sum_blocks blocks, const V* u,
                         const V* v, const __grid_constant__ band_targets<V> t) {
  const band_rows<V> rows{p, u, v, t};
  const index_t block = blockIdx.y, n = p.rows;
  const index_t first = blocks.first(block), last = blocks.last(block, p.summed.size);
  for (index_t i = thread_index(); i < p.kept.size * n; i += thread_count()) {
    const index_t k = i / p.kept.size;
    index_t at[product_array_count];
    p.begin(i - k * p.kept.size, at);
    rows.put(at, block, k, n, rows.sum(at, k, n, first, last, 1));
  }
}

/// Returns the sum of a warp's values, the same in every lane.
template <class V>
__device__ __forceinline__ V sum_of_warp(V a) {
#pragma unroll
  for (int mask = warp_size / 2; mask > 0; mask /= 2) a = a + shuffle_xor(a, mask);
  return a;
}

/// Forms sums over neighbouring lines: a warp for each row, the rows of a block beside each other,
/// so that their v comes from the first-level cache.
template <class V>
__global__ void __launch_bounds__(block_threads)
    sums_across_lines_kernel(const __grid_constant__ band_pass p, const sum_blocks blocks,
                             const V* u, const V* v, const __grid_constant__ band_targets<V> t) {
  const band_rows<V> rows{p, u, v, t};
  const index_t block = blockIdx.y, n = p.rows;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const index_t first = blocks.first(block), last = blocks.last(block, p.summed.size);
  for (index_t i = thread_index() / warp_size; i < p.kept.size * n;
       i += thread_count() / warp_size) {
    const index_t point = i / n, k = i - point * n;
    index_t at[product_array_count];
    p.begin(point, at);
    band_values<V> sums = rows.sum(at, k, n, first + lane, last, warp_size);
#pragma unroll
    for (int b = 0; b < band_count; ++b) sums.at[b] = sum_of_warp(sums.at[b]);
    if (lane == 0) rows.put(at, block, k, n, sums);
  }
}

/// Adds up partial sums: a warp for each gradient.
template <class V>
__global__ void __launch_bounds__(block_threads)
    add_partial_sums_kernel(const __grid_constant__ partial_sums<V> s) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const index_t count = s.count();
  for (index_t i = thread_index() / warp_size; i < band_count * count;
       i += thread_count() / warp_size) {
    const int b = static_cast<int>(i / count);
    if (s.to[b] == nullptr) continue;
    const V sum = sum_of_warp(s.some(b, i - b * count, lane, warp_size));
    if (lane == 0) s.put(b, i - b * count, sum);
  }
}

/// Returns the blocks of a grid for so many threads.
unsigned blocks_for(index_t threads) {
  constexpr index_t most = index_t{1} << 20;
  return static_cast<unsigned>(
      std::clamp<index_t>((threads + block_threads - 1) / block_threads, 1, most));
}

template <class V>
cudaError_t launch(const band_pass& p, const band_launch& how, const V* u, const V* v,
                   const band_targets<V>& t, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(how.blocks.count);
  const auto grid = [&](index_t threads) { return dim3(blocks_for(threads), blocks); };
  if (how.direction == product_direction::rows) {
    const index_t chunks = (p.rows + how.rows_of_group - 1) / how.rows_of_group;
    const row_groups groups{how.group, how.rows_of_group};
    const dim3 size = grid(p.kept.size * chunks * how.group);
    if (p.summed.size == 1) {
      bands_of_rows_kernel<<<size, block_threads, 0, stream>>>(p, groups, u, v, t);
    } else {
      sums_of_rows_kernel<<<size, block_threads, 0, stream>>>(p, how.blocks, groups, u, v, t);
    }
  } else if (how.direction == product_direction::summed) {
    sums_across_lines_kernel<<<grid(p.cells() * warp_size), block_threads, 0, stream>>>(
        p, how.blocks, u, v, t);
  } else if (p.summed.size == 1) {
    const index_t walks = (p.rows + how.rows_of_thread - 1) / how.rows_of_thread;
    bands_of_lines_kernel<<<grid(p.kept.size * walks), block_threads, 0, stream>>>(
        p, how.rows_of_thread, u, v, t);
  } else {
    sums_of_lines_kernel<<<grid(p.cells()), block_threads, 0, stream>>>(p, how.blocks, u, v, t);
  }
  return cudaGetLastError();
}

template <class V>
cudaError_t add_up(const partial_sums<V>& s, cudaStream_t stream) {
  add_partial_sums_kernel<<<blocks_for(band_count * s.count() * warp_size), block_threads, 0,
                            stream>>>(s);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_bands(value_type type, const band_pass& p, const band_launch& how,
                         const solver::product_operands& o, void* partial, cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    const bool sums = solver::has_partial_sums(p, how.blocks);
    V* const at = static_cast<V*>(partial);
    const cudaError_t formed =
        launch(sums ? solver::to_partial_sums(p) : p, how, static_cast<const V*>(o.u),
               static_cast<const V*>(o.v), solver::targets_of(p, how.blocks, o, at), stream);
    if (formed != cudaSuccess || !sums) return formed;
    return add_up(solver::sums_of<V>(p, how.blocks, o, at), stream);
  });
}

}  // namespace tridia::cuda
