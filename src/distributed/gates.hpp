// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// Tells kernels when to give up, and the host that one has.
struct wait_limits {
  unsigned* failed;                // of the GPU: not 0 once any kernel has given up
  unsigned* on_host;               // see wait_state
  unsigned long long nanoseconds;  // 0: no limit
};

/// Is what the word that the host and kernels share says.
enum wait_state : unsigned { waiting, given_up_by_host, late_on_device };

/// Counts how often a message was sent or received.
struct gate {
  unsigned* other;   // of a sender: the receiver's, who is told; of a receiver: what it was told
  unsigned* counts;  // this rank's
};

/// Holds the gates of the messages that ranks send, or receive, at the same time.
struct gates {
  static constexpr int most = 8;
  gate all[most];
  int count;
  wait_limits limits;
};

/// Says where kernels write messages right into the memory of their receivers, and find those that
/// they receive. Each has two places, `jump` bytes apart, that rounds take by turns: as ranks send
/// each other one message each, a rank that has received the last round's has had its own before
/// that one read.
struct direct_way {
  struct place {
    void* at;
    std::size_t jump;
    const unsigned* counts;  // of its gate
    unsigned second;         // the last bit of the count where the second place is meant
  };
  std::vector<place> to, from;  // in the order of the messages
  gates sending, receiving;
};

}  // namespace tridia::distributed
