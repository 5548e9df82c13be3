// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cells.hpp"

#include "tridia/compact.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tridia_bench {

/// Holds the memory of a cell, where its backend runs: arrays, workspace, factors.
struct cell_memory {
  const void *dl, *d, *du, *rhs;
  void *x, *workspace, *factors;
  void* stream;
};

/// Holds the plan or the operator of a cell.
class prepared_cell {
 public:
  /// Throws `left_out` where the library does not have this: a line too short for a scheme, say.
  prepared_cell(const cell& c, const tridia::options& options);

  [[nodiscard]] std::size_t workspace_bytes() const;
  /// Returns the bytes of factors that `prepare` fills; 0 where `run` does not use any.
  [[nodiscard]] std::size_t factors_bytes() const;
  /// Returns the algorithm that the plan has chosen; "operator" for an operator.
  [[nodiscard]] std::string algorithm() const;
  /// Returns the algorithm and why, as rows of other benchmarks have it; for an operator what it
  /// computes.
  [[nodiscard]] std::string note() const;

  /// Enqueues what comes before the timed work: saving factors.
  void prepare(const cell_memory& m) const;
  /// Enqueues the timed work.
  void run(const cell_memory& m) const;

 private:
  [[nodiscard]] tridia::execution execution(const cell_memory& m) const;

  tridia_bench::work work_;
  std::optional<tridia::plan> plan_;
  std::optional<tridia::compact_operator> operator_;
};

}  // namespace tridia_bench
