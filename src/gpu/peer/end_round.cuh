// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/round_counts.hpp"

namespace tridia::gpu {

/// Ends a round once all `blocks` of its last kernel have called this. One thread of each block
/// calls it, when its block needs the counts no more.
__device__ inline void end_round(round_counts* counts, unsigned blocks) {
  if (atomicAdd(&counts->blocks, 1u) + 1 < blocks) return;
  counts->blocks = 0, counts->tiles = 0;
  ++counts->ended;
}

}  // namespace tridia::gpu
