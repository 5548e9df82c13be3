// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// Holds the times of an execution, divided in two ways.
struct divided_times {
  phase_times phases;
  step_times steps;
};

/// Measures the time of each phase of an execution.
class phase_timer {
 public:
  virtual ~phase_timer() = default;
  /// Forgets all phases: an execution begins.
  virtual void begin() = 0;
  /// Starts a phase now, or once the work before it in the stream is done.
  virtual void start(void* stream) = 0;
  /// Assigns the time since the start, or since the phase before, to this phase and, unless it is
  /// null, to this step; the next begins.
  virtual void record(double phase_times::*phase, double step_times::*step, void* stream) = 0;
  /// Returns the times of all phases since `begin`; waits for the work in the stream.
  virtual divided_times read() = 0;
};

/// Stands for a timer where nobody asks for times.
class no_phase_timer final : public phase_timer {
 public:
  void begin() override {}
  void start(void* /*stream*/) override {}
  void record(double phase_times::* /*phase*/, double step_times::* /*step*/,
              void* /*stream*/) override {}
  divided_times read() override { return {}; }
};

}  // namespace tridia::distributed
