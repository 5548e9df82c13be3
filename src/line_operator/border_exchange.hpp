// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/round_counts.hpp"
#include "gpu/peer/wait_limits.hpp"
#include "line_operator/sum_groups.hpp"

namespace tridia::line_operator {

/// Describes prescribed right-hand sides that are sums over points of several ranks, where the
/// kernel that works on a rank's rows computes them as well: it adds up this rank's shares of the
/// points that it has in shared memory, stores those of other ranks into their memory
/// (gpu/peer/words.cuh), and adds what these have stored here to its own. Each prescribed
/// right-hand side is one own share and one of another rank. All pointers are to memory of the
/// device, which has the numbers of lines side by side, in the order of the lines.
struct border_exchange {
  /// These are the maximum numbers of prescribed right-hand sides, and of groups of sums: each
  /// right-hand side, and each sum of a group, has a lane of a warp.
  static constexpr int most_prescribed = 32, most_groups = most_prescribed / sum_group::most;
  /// Holds where the first line's number is, and how many numbers further on in every second round.
  struct place {
    void* at;
    index_t jump;
  };
  struct share {
    place to;
    int prescribed;  // the number of the right-hand side here, if `to` is nowhere (null)
  };
  const sum_group* groups;
  int group_count;
  const void* weights;
  const share* shares;    // by the slots of the groups
  const place* arrivals;  // by the numbers of the prescribed right-hand sides
  // This is null where the kernel computes the shares itself. Otherwise a kernel before it has: it
  // has sent those of other ranks, and own ones are here, as `arrivals` are.
  const place* own;
  int prescribed;
  gpu::round_counts* rounds;
  gpu::wait_limits limits;
};

}  // namespace tridia::line_operator
