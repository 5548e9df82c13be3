// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/direct_way.hpp"
#include "gpu/peer/round_counts.hpp"
#include "solver/cuda/partition/segments/segments.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

// A block, or a cluster of blocks, holds this rank's rows of some lines in shared memory, reduces
// them to equations, stores these into the memory of the other ranks of the line, waits for theirs,
// and expands: five words a row are moved, where reducing and expanding in two launches moves nine.
// Blocks start in the order of their numbers, on all ranks with the same lines, and show their
// equations before they wait: so whoever has the first line that is not solved yet waits for nobody
// in vain. That order is no promise of CUDA, but what all its cards do; were it broken, the wait
// would be given up after the time limit.
namespace tridia::distributed {

/// Locates the equations that ranks of a line send each other: each of their values for all lines,
/// one beside the other. There are two places, which executions take by turns (direct_way.hpp).
struct equation_slots {
  static constexpr int most_ranks = direct_way::most + 1;
  struct place {
    std::byte* at;
    std::size_t jump;  // from the first place to the second
  };
  int ranks, here;
  bool periodic;
  place to[most_ranks], from[most_ranks];  // by rank of the line; none of this one
  gpu::round_counts* executions;
  wait_limits limits;
};

struct fused_launches {
  /// Lets blocks have `bytes` of shared memory, and clusters, if there are any, many blocks; called
  /// once per device, before the first launch.
  cudaError_t (*prepare)(std::size_t bytes, bool clusters);
  /// Solves, with room for the state of each line in `states`.
  cudaError_t (*solve)(const layout::geometry&, const solver::operands&,
                       const cuda::segments_shape&, const cuda::segment_coupling&,
                       const equation_slots&, void* states, cudaStream_t);
  std::size_t bytes_sent;    // of the equations of a line
  std::size_t bytes_a_line;  // of `states`
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
fused_launches fused_kernels(pivoting);

}  // namespace tridia::distributed
