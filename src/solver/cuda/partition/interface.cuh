// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/cluster.cuh"
#include "gpu/launch.cuh"
#include "solver/cuda/partition/levels.cuh"

// The interface of a system is solved here by all the threads, warps and blocks that share it.
namespace tridia::cuda {

using namespace gpu;

/// Holds the equations that warps and blocks exchange.
template <class V, pivoting P>
struct nodes_of {
  using equations = typename core::chunk<V, P>::equations;
  equations* of_warps;   // one a warp
  equations* of_blocks;  // one a system and block of the cluster, which sends it
};

/// Solves the interface of every system of a block or cluster, closed by boundary B. The nodes are
/// not in use; all threads take part. `Cluster`: blocks share their `systems` systems, and may
/// send.
template <class V, pivoting P, boundary B, bool Cluster, class Monitor>
__device__ __forceinline__ typename core::chunk<V, P>::unknowns solve_interface(
    const typename core::chunk<V, P>::equations& mine, const chunk_place& p,
    const nodes_of<V, P>& nodes, int systems, dsmem_exchange<Cluster>& from_blocks,
    Monitor& monitor) {
  block_level<V, P> chunks(p);
  auto all = chunks.up(mine, nodes.of_warps, monitor);
  warp_level<V, P> blocks(p.lane, p.ranks);
  const int first_lane = static_cast<int>(threadIdx.x) % warp_size - p.lane;
  if constexpr (Cluster) {
    all = shuffle(all, first_lane);
    if (threadIdx.x == 0) {
      from_blocks.equations.expect(static_cast<unsigned>(p.ranks * systems * sizeof(all)));
    }
    if (p.system >= 0 && p.warp == 0 && p.lane < p.ranks) {
      cluster::send(nodes.of_blocks + p.rank * systems + p.system, all,
                    from_blocks.equations.barrier(), p.lane);
    }
    from_blocks.equations.wait();
    all = blocks.up(nodes.of_blocks[(p.lane < p.ranks ? p.lane : 0) * systems + max(p.system, 0)],
                    monitor);
  }
  auto unknowns = core::chunk<V, P>::template close<B>(all);
  monitor.conclude(unknowns);
  if constexpr (Cluster) unknowns = shuffle(blocks.down(unknowns), first_lane + p.rank);
  return chunks.down(unknowns);
}

}  // namespace tridia::cuda
