// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tma.cuh"
#include "solver/cuda/partition/interface.cuh"
#include "solver/cuda/partition/onchip.hpp"

// This file divides a block: its shared memory, and the places of its threads.
namespace tridia::cuda {

using namespace gpu;

/// Divides the onchip_shape::shared_bytes of a block: the tile, equations of a warp each and of a
/// system in each block, statuses of a system (two here and one a block), and where the systems
/// lie.
template <class V, int Inputs = layout::geometry::inputs>
struct onchip_memory {
  V* arrays;
  tma::mbarrier mbarrier;
  std::uint64_t* dsmem_exchange;
  void* nodes;
  int *flags, *of_blocks;
  void* places;

  __device__ __forceinline__ onchip_memory(unsigned char* memory, const onchip_shape& s,
                                           std::size_t node_bytes)
      : arrays(reinterpret_cast<V*>(memory)),
        mbarrier(reinterpret_cast<std::uint64_t*>(arrays + Inputs * s.array_pitch)),
        dsmem_exchange(mbarrier.barrier() + 1),
        nodes(dsmem_exchange + exchange_barriers(s.cluster)),
        flags(reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(nodes) +
                                     (s.threads / warp_size + s.systems * s.cluster) * node_bytes)),
        of_blocks(flags + 2 * s.systems),
        places(of_blocks + s.received_statuses()) {}
};

/// Returns this thread's place; `Uneven`: blocks differ in their number of rows.
template <bool Uneven, class Tile>
__device__ __forceinline__ chunk_place place_of(const onchip_shape& s, const Tile& t) {
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int chunks = Uneven ? t.chunks() : s.chunks;
  chunk_place p{-1, 0, lane, -1, 0, 0, s.warps_a_system, s.reach, t.rank(), s.blocks};
  if (s.warps_a_system > 1) {
    p.system = s.by_warps_a_system.quotient(warp);
    p.warp = warp - p.system * s.warps_a_system;
    p.chunk = p.warp * warp_size + lane;
    p.count = max(min(warp_size, chunks - p.warp * warp_size), 0);
  } else {
    const int group = s.by_chunks.quotient(lane);
    p.lane = lane - group * s.chunks;
    p.system = group < s.systems_a_warp ? warp * s.systems_a_warp + group : -1;
    p.chunk = p.lane;
    p.count = chunks;
  }
  // The last block of a system may have fewer warps for it than the others.
  if (Uneven && s.warps_a_system > 1) p.warps = (chunks + warp_size - 1) / warp_size;
  if (p.system >= t.systems()) p.system = -1;
  if (p.system >= 0 && p.chunk < chunks) p.at = p.lane;
  return p;
}

}  // namespace tridia::cuda
