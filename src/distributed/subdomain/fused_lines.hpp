// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"
#include "tridia/types.hpp"

#include <cstddef>

namespace tridia::distributed {

/// Solves a rank's rows of all its lines in one pass over memory: they stay on the chip while the
/// equations of all ranks of a line travel.
class fused_lines {
 public:
  virtual ~fused_lines() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Computes x, and the status found of each line: see local_status.hpp. The ranks of a line call
  /// it together, as it waits for all of them.
  virtual void solve(const solver::operands&, index_t* found, void* stream) = 0;
};

}  // namespace tridia::distributed
