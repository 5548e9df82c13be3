// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/carry.cuh"
#include "line_operator/cuda/scan_rows.cuh"

namespace tridia::line_operator {

using namespace gpu;

/// Lays out a block's shared memory.
template <class V>
struct scan_memory {
  std::uint64_t *arrived, *ready, *solved;  // of each stage
  index_t* number;                          // of the tile in it; beyond the last: there is none
  V *tiles, *factors, *products, *around, *closing, *closure;
  real_of<V>* scales;
  carry_memory<V> down, back;
  // These are of each line of each stage: the first row that is not finite; and where lines begin
  // anywhere, the elements from a multiple of 16 bytes to the line.
  int *found, *behind;

  __device__ __forceinline__ scan_memory(const scan_shape& s, int end_values,
                                         unsigned char* memory) {
    const int exchanged = s.threads / warp_size * s.lanes();
    arrived = reinterpret_cast<std::uint64_t*>(memory);
    ready = arrived + s.stages;
    solved = ready + s.stages;
    number = reinterpret_cast<index_t*>(solved + s.stages);
    tiles = reinterpret_cast<V*>(memory + cache_line);
    V* at = tiles + s.stages * (s.stage_bytes / sizeof(V));
    const auto take = [&](int count) {
      V* const taken = at;
      at += count;
      return taken;
    };
    factors = take(3 * s.distinct * s.chunk_rows);
    products = take(2 * scan_steps(s.interleaved) * s.chunks);
    down = {take(exchanged), take(exchanged)};
    back = {take(exchanged), take(exchanged)};
    closing = take(s.lines);
    around = take(2 * s.chunks);
    closure = take(s.stages * s.lines * end_values);
    scales = reinterpret_cast<real_of<V>*>(take(s.scaled ? s.chunks * s.chunk_rows : 0));
    found = reinterpret_cast<int*>(at);
    behind = found + s.stages * s.lines;
  }
  /// Returns `behind` of a stage, or null where lines begin at multiples of 16 bytes in its tile.
  __device__ __forceinline__ const int* behind_of(const scan_shape& s, int stage,
                                                  bool loads_by_tma) const {
    return loads_by_tma && !s.interleaved && s.in_tile.in_piece > 0 ? behind + stage * s.lines
                                                                    : nullptr;
  }
};

}  // namespace tridia::line_operator
