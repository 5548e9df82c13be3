// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// Measures the time of each phase of an execution.
class phase_timer {
 public:
  virtual ~phase_timer() = default;
  /// Forgets all phases: an execution begins.
  virtual void begin() = 0;
  /// Starts a phase now, or once the work before it in the stream is done.
  virtual void start(void* stream) = 0;
  /// Assigns the time since the start, or since the phase before, to this phase; the next begins.
  virtual void record(double phase_times::*step, void* stream) = 0;
  /// Returns the times of all phases since `begin`; waits for the work in the stream.
  virtual phase_times read() = 0;
};

}  // namespace tridia::distributed
