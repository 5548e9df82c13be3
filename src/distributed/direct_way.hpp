// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/wait_limits.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

using gpu::wait_limits;

/// Says where kernels write numbers right into the memory of their receivers, and find those that
/// they receive. A word is all ones, a NaN that nobody sends, until it arrives, and again once it
/// has been read (gpu/peer/words.cuh). Each message has two places, `jump` bytes apart, that rounds
/// take by turns: as ranks send each other one message each, a rank that has received the last
/// round's has had its own before that one read.
struct direct_way {
  /// This is the maximum number of other ranks.
  static constexpr int most = 8;
  struct place {
    void* at;
    std::size_t jump, bytes;
  };
  std::vector<place> to, from;  // in the order of the messages
  wait_limits limits;
};

}  // namespace tridia::distributed
