// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/arrays.hpp"
#include "compact/operator_executor.hpp"
#include "core/refuse.hpp"

#include <string>
#include <vector>

namespace tridia::compact {

/// Holds an operator on a grid, checked, before a backend makes an executor of it.
struct prepared_operator {
  tridia::grid grid;
  tridia::options options;
  std::vector<index_t> in_extents, out_extents;
  std::string warning;
  std::string quantity;  // with the names of its scheme and closure
  std::size_t axis;      // counted from the first one
  grid_arrays arrays;
  line_operator::specification line;

  [[nodiscard]] task make_task() const;
  /// Returns the sentence that describes the operator; its executor takes so many steps.
  [[nodiscard]] std::string description(int steps) const;
};

/// Throws `error` if scheme, closure, grid and options do not fit each other.
prepared_operator prepare(const scheme&, const closure&, grid, options);

/// Throws if an execution's workspace is missing, smaller than `needed` bytes, or where the backend
/// cannot access it.
template <class Executor>
void check_workspace(const Executor& where, std::size_t needed, const execution& e) {
  if (needed == 0) return;
  if (e.workspace == nullptr || e.workspace_bytes < needed) {
    refuse("workspace: has " + std::to_string(e.workspace == nullptr ? 0 : e.workspace_bytes) +
           " bytes, but " + std::to_string(needed) + " are needed");
  }
  where.check_pointer("workspace", e.workspace);
}

/// Allocates a workspace for one call on a CPU. Throws `error` on a GPU, and out_of_memory.
std::unique_ptr<std::byte[]> host_workspace(backend, std::size_t bytes);
/// Throws if arrays are of another type than the operator's.
void require_type(value_type of_arrays, value_type of_operator);

}  // namespace tridia::compact
