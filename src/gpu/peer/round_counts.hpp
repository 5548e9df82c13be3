// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Counts in memory of a GPU what its kernels have done in rounds of messages; zeros at first.
/// Messages have two places, which rounds take by turns. As kernels count, graphs may be launched
/// again.
struct round_counts {
  unsigned long long ended;  // rounds
  unsigned blocks;           // that have ended, of the last kernel of the round under way
  unsigned tiles;            // which that kernel's blocks have drawn, if they draw some
};

}  // namespace tridia::gpu
