// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cuda/plain.hpp"

#include "core/value.hpp"
#include "gpu/launch.cuh"

#include <algorithm>

namespace tridia::compact {
namespace {

using layout::geometry;

/// Calls f(row, line, where the line begins in each array, place in the workspace) for this
/// thread's elements; neighbouring threads have neighbours of the workspace.
template <class V, class F>
__device__ __forceinline__ void for_each_element(const geometry& g, const plain_stencil<V>& b,
                                                 F f) {
  const index_t lines = g.right_sides.size;
  for (index_t i = gpu::thread_index(); i < lines * b.count; i += gpu::thread_count()) {
    const index_t line = b.interleaved ? i % lines : i / b.count;
    index_t at[layout::array_count];
    g.right_sides.offsets(line, at);
    f(b.interleaved ? i / lines : i - line * b.count, line, at, i);
  }
}

template <class V>
__global__ void __launch_bounds__(gpu::block_threads)
    stencil_kernel(const __grid_constant__ geometry g, const __grid_constant__ plain_stencil<V> b,
                   const V* in, const V* prescribed, V* to) {
  const layout::along along = g.lines[layout::rhs];
  for_each_element(g, b, [&](index_t row, index_t number, const auto& at, index_t i) {
    const index_t from_tail = row - (b.count - b.tails);
    const plain_row r = b.rows[row < b.heads    ? 1 + row
                               : from_tail >= 0 ? 1 + b.heads + from_tail
                                                : 0];
    if (r.count == 0) {
      to[i] = prescribed[r.begin * g.right_sides.size + number];
      return;
    }
    const bool inside = row >= b.heads && from_tail < 0;
    const V* const line = in + at[layout::rhs] + along.origin;
    V sum(0);
    for (int w = 0; w < r.count; ++w) {
      index_t p = r.first + w + (inside ? row : 0);
      if (b.cyclic) p = (p + b.points) % b.points;
      sum = core::add_mul(sum, line[p * along.step], b.weights[r.begin + w]);
    }
    to[i] = sum;
  });
}

template <class V>
__global__ void __launch_bounds__(gpu::block_threads)
    finish_kernel(const __grid_constant__ geometry g, const __grid_constant__ plain_stencil<V> b,
                  const V* from, V* out, V s, bool accumulate) {
  const layout::along along = g.lines[layout::x];
  for_each_element(g, b, [&](index_t row, index_t, const auto& at, index_t i) {
    V& to = out[at[layout::x] + along.origin + row * along.step];
    const V v = from[i] * (b.scale ? s * b.scale[row] : s);
    to = accumulate ? to + v : v;
  });
}

unsigned blocks_for(const geometry& g, index_t rows) {
  constexpr index_t enough = 1 << 14;
  const index_t blocks = (g.right_sides.size * rows + gpu::block_threads - 1) / gpu::block_threads;
  return static_cast<unsigned>(std::min(blocks, enough));
}

}  // namespace

template <class V>
plain_launches plain_kernels() {
  return {[](const geometry& g, const void* stencil, const void* in, const void* prescribed,
             void* to, cudaStream_t stream) {
            const auto& b = *static_cast<const plain_stencil<V>*>(stencil);
            stencil_kernel<V><<<blocks_for(g, b.count), gpu::block_threads, 0, stream>>>(
                g, b, static_cast<const V*>(in), static_cast<const V*>(prescribed),
                static_cast<V*>(to));
            return cudaGetLastError();
          },
          [](const geometry& g, const void* stencil, const void* from, void* out, double s,
             bool accumulate, cudaStream_t stream) {
            const auto& b = *static_cast<const plain_stencil<V>*>(stencil);
            finish_kernel<V><<<blocks_for(g, b.count), gpu::block_threads, 0, stream>>>(
                g, b, static_cast<const V*>(from), static_cast<V*>(out), static_cast<V>(s),
                accumulate);
            return cudaGetLastError();
          }};
}
template plain_launches plain_kernels<float>();
template plain_launches plain_kernels<double>();

}  // namespace tridia::compact
