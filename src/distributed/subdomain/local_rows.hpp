// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/line_batches.hpp"
#include "layout/geometry.hpp"
#include "solver/executor.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <memory>

namespace tridia::distributed {

/// Describes the work of a backend on this rank's rows of lines.
struct local_rows_task {
  value_type type;
  tridia::pivoting pivoting;
  layout::geometry geometry;  // as number_lines makes it, without corners
  bool before, after;         // whether rows of the lines are elsewhere, on either side
  int threads;
  // These entries couple the first row to the one before it, and the last row to the one after it,
  // one per line; null: they lie where the rows have them (neighbour_coefficients.hpp).
  const void *entries_before = nullptr, *entries_after = nullptr;
};

/// Reduces a rank's rows of all its lines to equations of their interface systems, and expands
/// the unknowns of these to x, in memory of its own. Values lie as line_batches.hpp says.
class local_rows {
 public:
  virtual ~local_rows() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Computes the equations of `core::chunk` for the lines of batches p0 to p1 - 1.
  virtual void reduce(const solver::operands&, const line_batches&, index_t p0, index_t p1,
                      void* equations, void* stream) = 0;
  /// Computes x of these lines from their interface unknowns, and the status found of each: see
  /// local_status.hpp.
  virtual void expand(const solver::operands&, const line_batches&, index_t p0, index_t p1,
                      const void* unknowns, index_t* found, void* stream) = 0;
};

}  // namespace tridia::distributed
