// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/interface.cuh"
#include "solver/cuda/onchip.hpp"

// How a block is divided: its shared memory, and what each of its threads has.
namespace tridia::cuda {

/// The most threads of a block.
inline constexpr int most_threads = 512;

/// What onchip_shape::shared_bytes are for: the tile and its offsets, equations of a warp and of a
/// system each, and two flags a system.
template <class V>
struct block_memory {
  V* arrays;
  index_t* offsets;
  std::uint64_t* arrival;
  void* nodes;
  int* flags;

  __device__ __forceinline__ block_memory(unsigned char* memory, const onchip_shape& s,
                                          std::size_t node_bytes)
      : arrays(reinterpret_cast<V*>(memory)),
        offsets(reinterpret_cast<index_t*>(arrays + 4 * s.array_pitch)),
        arrival(reinterpret_cast<std::uint64_t*>(offsets + s.systems * layout::array_count)),
        nodes(arrival + 1),
        flags(reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(nodes) +
                                     (s.threads / warp_size + s.systems) * node_bytes)) {}
};

/// This thread's place, in a block with `rows` rows of `systems` systems. `Cut`: systems are shared
/// out among blocks, the last of which may have fewer rows than the others.
template <bool Cut>
__device__ __forceinline__ chunk_place place_of(const onchip_shape& s, int systems, int rows,
                                                int rank) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int chunks = Cut ? (rows + s.chunk_rows - 1) / s.chunk_rows : s.chunks;
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
  if (Cut && s.warps_a_system > 1) p.warps = (chunks + warp_size - 1) / warp_size;
  if (p.system >= systems) p.system = -1;
  if (p.system >= 0 && p.chunk < chunks) p.at = p.lane;
  return p;
}

}  // namespace tridia::cuda
