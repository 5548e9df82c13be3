// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/reduced_system.hpp"
#include "distributed/subdomain/interface.hpp"
#include "layout/geometry.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

struct faces_task {
  value_type type;
  line_of_ranks line;
  part_sides sides;
  reduced_system reduced;
  std::vector<line_weights> secondary;  // of this rank (secondary_solutions)
  index_t rows;                         // of this rank
  /// Holds the lines in an order that all ranks of a line have: where each begins in the array of
  /// the primary solutions (layout::rhs) and in the array that sums are written to (layout::x), and
  /// its steps.
  layout::axes lines;
  layout::along from, to;
  std::vector<double> scale;  // of each row of this rank, applied last; empty: 1
  tridia::options where;      // of the plan for the reduced systems
};

/// Returns the task of a rank for lines that are cut as `cuts` says, but for `lines`, `from`, `to`,
/// `scale` and `where`. What is below `tolerance` of a secondary solution is left out, as
/// `operator_options::tolerance` says.
faces_task faces_of(value_type type, const line_of_ranks& line, const specification& whole,
                    const line_cuts& cuts, double tolerance);

/// Completes the primary solutions of lines that cross ranks, with one reduced system for each line
/// at the first rank of the line (`strategy::gather`).
class gathered_faces {
 public:
  virtual ~gathered_faces() = default;
  /// Copies the first and last x of each line, and gathers them at the first rank.
  virtual void gather(const void* primary, void* stream) = 0;
  /// Solves the reduced systems there, and scatters their x.
  virtual void solve(void* stream) = 0;
  /// Computes out = scale x, or out += s scale x, where x = primary + u x_before + l x_after, after
  /// `solve`. `out` may be the array of the primary solutions.
  virtual void sum(const void* primary, void* out, double s, bool accumulate,
                   void* stream) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace tridia::distributed
