// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <limits>

// A GPU's sizes.
namespace tridia::gpu {

inline constexpr int warp_size = 32;
/// Blocks of a cluster: on every card that has them; on cards of compute capability 9.0, for
/// kernels that ask for it.
inline constexpr int most_blocks = 8, most_blocks_of_hopper = 16;
/// Blocks of a launch.
inline constexpr index_t most_grid = std::numeric_limits<int>::max();
/// Rows of a line that the chip can hold at all.
inline constexpr int longest = 1 << 20;
/// Bytes: a line of the cache, and the least that is fetched of it.
inline constexpr int cache_line = 128, sector = 32;

/// What a device allows.
struct device_limits {
  std::size_t shared_bytes = 0;  // of a block
  bool clusters = false;
  int cluster_blocks = most_blocks;  // at most, if there are clusters
  int capability = 0;                // 90 is 9.0
  int multiprocessors = 0;
  index_t threads = 0;  // that are resident at the same time
};

/// The limits of the current device.
device_limits current_device_limits();

}  // namespace tridia::gpu
