// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels run the Thomas algorithm on interleaved copies. The file is compiled once for each
// value type, TRIDIA_VALUE.
#include "solver/cuda/named/thomas_batch.hpp"

#include "core/dispatch.hpp"
#include "solver/cuda/block_line.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using solver::strided_matrix;

/// A tile of lines and rows goes through shared memory, so that neighbouring threads have
/// neighbouring rows on one side of it and neighbouring lines on the other.
constexpr int tile = warp_size, tile_threads = 8;

/// Locates the rows of one line.
struct interleaved_line {
  index_t start, step;
  const index_t* row_starts;

  __device__ __forceinline__ interleaved_line(const interleaving& s, index_t i)
      : start(s.row_starts ? i : i / s.width * s.width * s.rows + i % s.width),
        step(s.width),
        row_starts(s.row_starts) {}
  __device__ __forceinline__ index_t at(index_t k) const {
    return start + (row_starts ? row_starts[k] : k * step);
  }
};

__device__ __forceinline__ line_place line_number(const geometry& g, const interleaving& s,
                                                  index_t i) {
  return line_place(g, s.order ? s.order[i] : i);
}

/// Calls f(i0, k0) for every tile, from line i0 and row k0.
template <class F>
__device__ __forceinline__ void for_each_tile(const interleaving& s, F f) {
  const index_t row_tiles = (s.rows + tile - 1) / tile, line_tiles = (s.lines + tile - 1) / tile;
  for (index_t b = blockIdx.x; b < row_tiles * line_tiles; b += gridDim.x) {
    f(b / row_tiles * tile, b % row_tiles * tile);
    __syncthreads();
  }
}
/// Calls f(i, k, i - i0, k - k0) for this thread's part of a tile; neighbouring threads have
/// neighbouring lines, or rows.
template <class F>
__device__ __forceinline__ void for_each_of_tile(const interleaving& s, index_t i0, index_t k0,
                                                 bool interleaved, F f) {
  const auto lane = static_cast<int>(threadIdx.x);
  for (auto other = static_cast<int>(threadIdx.y); other < tile; other += tile_threads) {
    const int i = interleaved ? lane : other, k = interleaved ? other : lane;
    if (i0 + i < s.lines && k0 + k < s.rows) f(i0 + i, k0 + k, i, k);
  }
}

/// Interleaves the three diagonals and the right-hand sides, an array each.
__global__ void __launch_bounds__(tile* tile_threads)
    interleave_kernel(const __grid_constant__ geometry g,
                      const __grid_constant__ typed_operands<V> o,
                      const __grid_constant__ interleaving s, V* out, bool lies_interleaved) {
  __shared__ V held[4][tile][tile + 1];
  for_each_tile(s, [&](index_t i0, index_t k0) {
    for_each_of_tile(s, i0, k0, lies_interleaved, [&](index_t line, index_t row, int i, int k) {
      const line_place place = line_number(g, s, line);
      const index_t n = g.rows_of(place.matrix);
      if (row >= n) return;
      const core::row<V> r = strided_matrix<V>(g, n, o.in, place.at).get(row);
      held[0][i][k] = r.sub, held[1][i][k] = r.diag, held[2][i][k] = r.sup;
      held[3][i][k] = o.in[layout::rhs][place.at[layout::rhs] + row * g.lines[layout::rhs].step];
    });
    __syncthreads();
    for_each_of_tile(s, i0, k0, true, [&](index_t line, index_t row, int i, int k) {
      if (row >= g.rows_of(line_number(g, s, line).matrix)) return;
      const index_t at = interleaved_line(s, line).at(row);
      for (int a = 0; a < 4; ++a) out[a * s.pitch + at] = held[a][i][k];
    });
  });
}

__global__ void __launch_bounds__(tile* tile_threads)
    put_back_kernel(const __grid_constant__ geometry g, V* x,
                    const __grid_constant__ interleaving s, const V* in, bool lies_interleaved) {
  __shared__ V held[tile][tile + 1];
  for_each_tile(s, [&](index_t i0, index_t k0) {
    for_each_of_tile(s, i0, k0, true, [&](index_t line, index_t row, int i, int k) {
      if (row < g.rows_of(line_number(g, s, line).matrix))
        held[i][k] = in[3 * s.pitch + interleaved_line(s, line).at(row)];
    });
    __syncthreads();
    for_each_of_tile(s, i0, k0, lies_interleaved, [&](index_t line, index_t row, int i, int k) {
      const line_place place = line_number(g, s, line);
      if (row < g.rows_of(place.matrix))
        x[place.at[layout::x] + row * g.lines[layout::x].step] = held[i][k];
    });
  });
}

/// Accesses a line in the workspace, with the interface that core/line.hpp asks for. The saved
/// values of a row, and then x, overwrite the row, as in the paper.
struct batch_line {
  V* values;
  index_t pitch;
  interleaved_line line;

  __device__ __forceinline__ V& value(int a, index_t k) const {
    return values[a * pitch + line.at(k)];
  }
};
struct batch_matrix {
  const batch_line& at;
  __device__ __forceinline__ void fetch(index_t, index_t) const {}
  __device__ __forceinline__ core::row<V> get(index_t k) const {
    return {at.value(0, k), at.value(1, k), at.value(2, k)};
  }
};
struct batch_rhs {
  const batch_line& at;
  __device__ __forceinline__ void fetch(index_t, index_t) const {}
  __device__ __forceinline__ V get(index_t k) const { return at.value(3, k); }
};
template <class E>
struct batch_kept {
  const batch_line& at;
  __device__ __forceinline__ void put(index_t k, const typename E::upper& u, V y) const {
    V w[E::upper_values];
    u.put(w);
    for (int i = 0; i < E::upper_values; ++i) at.value(2 - i, k) = w[i];
    at.value(3, k) = y;
  }
  __device__ __forceinline__ V get(index_t k, typename E::upper& u) const {
    V w[E::upper_values];
    for (int i = 0; i < E::upper_values; ++i) w[i] = at.value(2 - i, k);
    u.get(w);
    return at.value(3, k);
  }
};
struct batch_solution {
  const batch_line& at;
  __device__ __forceinline__ void open(index_t) const {}
  __device__ __forceinline__ void flush(index_t, index_t) const {}
  __device__ __forceinline__ void put(index_t k, V x) const { at.value(3, k) = x; }
};

template <boundary B>
__global__ void __launch_bounds__(block_threads)
    thomas_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ interleaving s, V* values) {
  for (index_t i = thread_index(); i < s.lines; i += thread_count()) {
    const line_place place = line_number(g, s, i);
    const index_t n = g.rows_of(place.matrix);
    bool finite = true;
    if (n > 0) {
      const batch_line line{values, s.pitch, interleaved_line(s, i)};
      solver::with_elimination<V, pivoting::none, B>(n, [&](auto e) {
        using E = decltype(e);
        batch_matrix a{line};
        batch_rhs b{line};
        batch_kept<E> kept{line};
        batch_solution x{line};
        core::solve_line<V, E>(n, {n, n}, a, b, kept, x,
                               [&](bool failed, bool) { finite = finite && !failed; });
      });
      for (index_t k = 0; k < n && !finite; ++k) line.value(3, k) = core::not_a_number<V>();
    }
    report_line<V, B>(g, o, place, finite);
  }
}

unsigned tile_blocks(const interleaving& s) {
  return blocks_for_lines((s.rows + tile - 1) / tile * ((s.lines + tile - 1) / tile));
}
/// Returns whether neighbours in the arrays belong to other systems.
bool lies_interleaved(const geometry& g) {
  return g.ragged == nullptr && layout::is_interleaved(g);
}

template <boundary B>
thomas_launches table() {
  return {[](const geometry& g, const operands& o, const interleaving& s, void* workspace,
             cudaStream_t stream) {
            interleave_kernel<<<tile_blocks(s), dim3(tile, tile_threads), 0, stream>>>(
                g, solver::typed<V>(o), s, static_cast<V*>(workspace), lies_interleaved(g));
            return cudaGetLastError();
          },
          [](const geometry& g, const operands& o, const interleaving& s, void* workspace,
             cudaStream_t stream) {
            const auto blocks = blocks_for_lines((s.lines + block_threads - 1) / block_threads);
            thomas_kernel<B><<<blocks, block_threads, 0, stream>>>(g, solver::typed<V>(o), s,
                                                                   static_cast<V*>(workspace));
            return cudaGetLastError();
          },
          [](const geometry& g, const operands& o, const interleaving& s, const void* workspace,
             cudaStream_t stream) {
            put_back_kernel<<<tile_blocks(s), dim3(tile, tile_threads), 0, stream>>>(
                g, static_cast<V*>(o.x), s, static_cast<const V*>(workspace), lies_interleaved(g));
            return cudaGetLastError();
          }};
}

}  // namespace

template <class>
thomas_launches thomas_kernels(boundary b) {
  return b == boundary::regular ? table<boundary::regular>() : table<boundary::periodic>();
}
template thomas_launches thomas_kernels<V>(boundary);

}  // namespace tridia::cuda
