// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/arrays.hpp"
#include "compact/operator_executor.hpp"
#include "distributed/backend.hpp"
#include "distributed/line_operator/sum_plan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia::distributed {

/// A slab holds some of the lines: the sums that travel, and the work on this rank.
struct slab {
  index_t in = 0, out = 0;  // where they begin in the arrays, in real numbers
  std::unique_ptr<line_sums> sums{};
  std::unique_ptr<const compact::operator_executor> rows{};  // null where there are no lines
};

struct compact_operator::state {
  decomposition ranks, out_ranks;
  tridia::grid lines;
  operator_options options;
  std::shared_ptr<distributed::transport> transport;
  std::unique_ptr<const backend> where{};
  int axis = 0;
  std::string warning{};
  line_operator::specification whole_line{}, own_line{};  // all of a line, and this rank's rows
  compact::grid_arrays arrays{};
  std::vector<int> peers{};
  // An ordinary operator is applied to lines that do not cross ranks.
  std::unique_ptr<const tridia::compact_operator> whole{};
  std::vector<slab> slabs{};
  std::size_t memory_bytes = 0;
  std::shared_ptr<void> memory{};  // of `whole` or of a slab's rows
  std::unique_ptr<phase_timer> times{};

  // These members hold an application between start and finish.
  bool started = false;
  compact::call call{};
};

}  // namespace tridia::distributed
