// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <limits>

// This file holds the limits and sizes of GPUs.
namespace tridia::gpu {

inline constexpr int warp_size = 32;
/// These are the maximum numbers of blocks per cluster: on every card that has clusters; on cards
/// of compute capability 9.0, for kernels that ask for it.
inline constexpr int most_blocks = 8, most_blocks_of_hopper = 16;
/// This is the maximum number of blocks per launch.
inline constexpr index_t most_grid = std::numeric_limits<int>::max();
/// This is the maximum number of rows of a line that fits the chip at all.
inline constexpr int longest = 1 << 20;
/// These are bytes: a cache line, and a sector, the least that is fetched of it.
inline constexpr int cache_line = 128, sector = 32;

/// Holds the limits of a device.
struct device_limits {
  std::size_t shared_bytes = 0;  // of a block
  bool clusters = false;
  int cluster_blocks = most_blocks;  // at most, if there are clusters
  int capability = 0;                // 90 is 9.0
  int multiprocessors = 0;
  index_t threads = 0;  // that are resident at the same time
};

/// Returns the limits of the current device.
device_limits current_device_limits();

}  // namespace tridia::gpu
