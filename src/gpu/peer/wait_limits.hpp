// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Tells kernels when to give up waiting for another GPU, and the host that one has.
struct wait_limits {
  unsigned* failed;                // of the GPU: not 0 once any kernel has given up
  unsigned* on_host;               // see wait_state
  unsigned long long nanoseconds;  // 0: no limit
};

/// Is what the word that the host and kernels share says.
enum wait_state : unsigned { waiting, given_up_by_host, late_on_device };

}  // namespace tridia::gpu
