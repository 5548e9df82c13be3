// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// Where the time of an execution goes, from lap to lap.
class laps {
 public:
  virtual ~laps() = default;
  /// Forgets all laps: an execution begins.
  virtual void begin() = 0;
  /// A lap begins now, or once the work before is done in the stream.
  virtual void start(void* stream) = 0;
  /// What was done since the start, or since the lap before, was this step; the next lap begins.
  virtual void lap(double step_seconds::*step, void* stream) = 0;
  /// Of all laps since `begin`; waits for what is in the stream.
  virtual step_seconds read() = 0;
};

}  // namespace tridia::distributed
