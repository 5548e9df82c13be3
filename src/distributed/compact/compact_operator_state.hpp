// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/arrays.hpp"
#include "compact/operator_executor.hpp"
#include "distributed/backend.hpp"
#include "distributed/line_operator/sum_plan.hpp"
#include "tridia/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tridia::distributed {

/// A step is one line operator on lines that ranks cut. An operator is one step, and its adjoint is
/// two, with a field between them. With `strategy::gather` the only step is the right-hand sides,
/// which go to the field.
struct step {
  line_operator::specification whole{}, own{};  // all of a line, and this rank's rows
  line_cuts cuts{};
  /// The scale of each row of `in` before the step, or nothing.
  std::optional<line_operator::specification> scaling{};
  bool from_field = false, to_field = false;  // in place of `in` and `out`
};

/// A slab holds some of the lines in one step: the sums that travel, and the work on this rank.
struct slab {
  bool from_field, to_field;
  index_t in = 0, out = 0;  // where they begin in the arrays, in real numbers
  std::unique_ptr<line_sums> sums{};
  // These executors are null where there are no lines. `scaling` writes what `rows` reads then.
  std::unique_ptr<const compact::operator_executor> scaling{}, rows{};
  bool may_exchange = false;  // whether the kernel of `rows` may add shares up
  // This says how it does so in the application under way, or is null.
  const line_operator::border_exchange* exchange = nullptr;
};

/// Holds what `strategy::gather` does after the right-hand sides: it solves in the field, and the
/// sums go to `out`.
struct gathered_solve {
  line_operator::specification whole{};  // scale A^-1
  std::vector<index_t> cuts{};           // rows
  std::unique_ptr<const tridia::plan> primary{};
  std::unique_ptr<gathered_faces> faces{};
};

struct compact_operator::state {
  decomposition ranks, out_ranks;
  tridia::grid lines;
  operator_options options;
  std::shared_ptr<distributed::transport> transport;
  std::unique_ptr<const backend> where{};
  int axis = 0;
  std::string warning{};
  std::vector<step> steps{};  // of lines that cross ranks
  std::optional<gathered_solve> gathered{};
  compact::grid_arrays arrays{};
  std::vector<int> peers{};
  // An ordinary operator is applied to lines that do not cross ranks.
  std::unique_ptr<const tridia::compact_operator> whole{};
  std::vector<slab> slabs{};  // of the first step, then of the next
  std::size_t memory_bytes = 0, field_bytes = 0;
  std::shared_ptr<void> memory{};  // of `whole`, of a slab's rows or of primary systems
  std::shared_ptr<void> field{};   // between two steps, or of right-hand sides
  std::unique_ptr<phase_timer> times{};

  // These members hold an application between start and finish.
  bool started = false;
  bool at_once = false;  // both by one call
  std::size_t sent = 0;  // slabs
  compact::call call{};
};

}  // namespace tridia::distributed
