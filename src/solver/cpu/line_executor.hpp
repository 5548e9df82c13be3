// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_batch.hpp"
#include "solver/executor.hpp"

#include <memory>

namespace tridia::cpu {

/// Eliminates whole lines, each in a lane.
class line_executor : public solver::executor {
 public:
  using executor::execute;
  /// Solves with `ends` in place of the first and the last right-hand sides of lines.
  virtual void execute(const solver::operands&, const end_values& ends, void* workspace) const = 0;
};

std::unique_ptr<const line_executor> make_line_executor(const solver::task&);

}  // namespace tridia::cpu
