// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/cuda/waiting.cuh"
#include "distributed/line_operator/shares.hpp"
#include "gpu/launch.cuh"
#include "gpu/warp.cuh"

namespace tridia::distributed {

inline constexpr int share_threads = 128;
/// A lane has this many points of a line on their way at the same time: all that decaying weights
/// count, or half of them.
template <bool Contiguous, class V>
inline constexpr int share_points = (Contiguous ? 32 : 20) / (sizeof(V) > 8 ? 2 : 1);

/// Brings points of the lines of a warp into registers, a line a lane. Of fewer points the
/// last one comes several times. Where points of a line lie side by side, neighbouring lanes load
/// neighbouring points, and exchange them in `tile`.
template <bool Contiguous, class V>
__device__ void load_points(const V* line, index_t first, index_t step, int count, V* tile,
                            V (&v)[share_points<Contiguous, V>]) {
  if constexpr (Contiguous) {
    constexpr int points = share_points<true, V>, pitch = points + 1, together = 32 / points;
    const int lane = static_cast<int>(threadIdx.x) % 32, point = lane % points;
    const index_t at = (first + min(point, count - 1)) * step;
#pragma unroll
    for (int k = 0; k < points; ++k) {
      const auto of = __shfl_sync(gpu::whole_warp, reinterpret_cast<unsigned long long>(line),
                                  together * k + lane / points);
      v[k] = reinterpret_cast<const V*>(of)[at];
    }
#pragma unroll
    for (int k = 0; k < points; ++k) {
      tile[(together * k + lane / points) * pitch + point] = v[k];
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < points; ++k) v[k] = tile[lane * pitch + k];
    __syncwarp();
  } else {
#pragma unroll
    for (int k = 0; k < share_points<false, V>; ++k)
      v[k] = line[(first + min(k, count - 1)) * step];
  }
}

/// Computes up to `Sums` sums of a group for the line of this lane.
template <int Sums, bool Contiguous, class V>
__device__ void sum_group_of(const share_summing_task<V>& t, const line_operator::sum_group& g,
                             V* const* places, const V* line, index_t number, V* tile) {
  struct alignas(sizeof(V) < 8 ? 2 * sizeof(V) : 16) pair {
    V w[2];
  };
  V sum[Sums];
#pragma unroll
  for (int j = 0; j < Sums; ++j) sum[j] = V(0);
  const auto* const weights = reinterpret_cast<const pair*>(t.weights + g.weights);
  constexpr int points = share_points<Contiguous, V>;
  for (index_t done = 0; done < g.count; done += points) {
    const int count = static_cast<int>(min(g.count - done, index_t{points}));
    V v[points];
    load_points<Contiguous>(line, g.first + done, t.along.step, count, tile, v);
#pragma unroll
    for (int k = 0; k < points; ++k) {
      if (k < count) {
#pragma unroll
        for (int j = 0; j < Sums; j += 2) {
          const pair w = weights[((done + k) * line_operator::sum_group::most + j) / 2];
          sum[j] = sum[j] + v[k] * w.w[0];
          sum[j + 1] = sum[j + 1] + v[k] * w.w[1];
        }
      }
    }
  }
  if (number >= t.lines.size) return;
#pragma unroll
  for (int j = 0; j < Sums; ++j) {
    if (j < g.sums) places[g.slot[j]][number] = sum[j];
  }
}

/// Returns the bytes of shared memory that share_summing needs beside tiles.
template <class V>
std::size_t share_bytes(const share_summing_task<V>& t) {
  return static_cast<std::size_t>(t.count) * sizeof(line_operator::sum_group) +
         static_cast<std::size_t>(t.sent) * sizeof(V*);
}

/// Computes shares, a line a thread.
template <bool Contiguous, class V>
__global__ void __launch_bounds__(share_threads)
    sum_shares_kernel(const __grid_constant__ share_summing_task<V> t) {
  constexpr int pitch = share_points<Contiguous, V> + 1;
  __shared__ alignas(16) unsigned char memory[Contiguous ? share_threads * pitch * sizeof(V) : 1];
  V* const tile = reinterpret_cast<V*>(memory) + (Contiguous ? threadIdx.x / 32 * 32 * pitch : 0);
  // Groups and places are fetched once, before the points: one needs the other.
  extern __shared__ line_operator::sum_group groups[];
  V** const places = reinterpret_cast<V**>(groups + t.count);
  for (int k = static_cast<int>(threadIdx.x); k < t.count; k += share_threads) {
    groups[k] = t.groups[k];
  }
  for (int k = static_cast<int>(threadIdx.x); k < t.sent; k += share_threads) {
    places[k] = place_of(t.slots[k]);
  }
  __syncthreads();
  // A warp stays together: beyond the last line that one is counted again.
  const index_t threads = gpu::thread_count();
  for (index_t number = gpu::thread_index(); number / 32 * 32 < t.lines.size; number += threads) {
    index_t at[layout::array_count];
    t.lines.offsets(min(number, t.lines.size - 1), at);
    const V* const line = t.in + at[layout::rhs] + t.along.origin;
    for (int k = 0; k < t.count; ++k) {
      const line_operator::sum_group& group = groups[k];
      group.sums <= 2 ? sum_group_of<2, Contiguous>(t, group, places, line, number, tile)
                      : sum_group_of<4, Contiguous>(t, group, places, line, number, tile);
    }
  }
}

/// Adds shares up: the block's sum, of its lines.
template <class V>
__global__ void __launch_bounds__(share_threads)
    add_shares_kernel(const __grid_constant__ share_adding_task<V> t) {
  const index_t sum = blockIdx.y, begin = t.first[sum], end = t.first[sum + 1];
  for (index_t line = gpu::thread_index(); line < t.lines; line += gpu::thread_count()) {
    V all(0);
    for (index_t k = begin; k < end; ++k) all = all + place_of(t.slots[t.terms[k]])[line];
    t.values[sum * t.lines + line] = all;
  }
}

/// Counts messages that kernels before have written, and tells their receivers; by one thread.
inline __global__ void send_kernel(const __grid_constant__ gates g) {
  for (int k = 0; k < g.count; ++k) {
    const unsigned now = *g.all[k].counts + 1;
    *g.all[k].counts = now;
    shared_word(*g.all[k].other).store(now, cuda::memory_order_release);
  }
}

/// Waits for messages, and counts them; by one thread.
inline __global__ void receive_kernel(const __grid_constant__ gates g) {
  for (int k = 0; k < g.count; ++k) {
    const unsigned now = *g.all[k].counts + 1;
    if (!comes(g.all[k].other, now, g.limits)) return;
    *g.all[k].counts = now;
  }
}

}  // namespace tridia::distributed
