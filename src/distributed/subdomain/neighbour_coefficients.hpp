// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

#include <cstddef>

namespace tridia::distributed {

/// Holds the entries of A^T that couple a rank's first and last rows to rows of other ranks. They
/// are in the arrays of those ranks, and travel before any work on the rows begins.
class neighbour_coefficients {
 public:
  virtual ~neighbour_coefficients() = default;
  /// Fetches them. All ranks of the lines call it, with the same arrays as they then work on.
  virtual void fetch(const solver::operands&, void* stream) = 0;
  /// Returns the entries as local_rows_task has them, conjugated where the matrix is.
  [[nodiscard]] virtual const void* before() const = 0;
  [[nodiscard]] virtual const void* after() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
