// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// Where the time of an execution goes, phase by phase.
class phase_timer {
 public:
  virtual ~phase_timer() = default;
  /// Forgets all phases: an execution begins.
  virtual void begin() = 0;
  /// A phase begins now, or once the work before is done in the stream.
  virtual void start(void* stream) = 0;
  /// What was done since the start, or since the phase before, was this phase; the next one begins.
  virtual void record(double phase_times::*step, void* stream) = 0;
  /// Of all phases since `begin`; waits for what is in the stream.
  virtual phase_times read() = 0;
};

}  // namespace tridia::distributed
