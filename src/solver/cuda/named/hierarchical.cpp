// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/hierarchical.hpp"

#include "core/cyclic_reduction.hpp"
#include "solver/cuda/named/cyclic.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

namespace tridia::cuda {

hierarchical_shape plan_hierarchical(const task& t, std::size_t shared_bytes) {
  const std::size_t bytes_a_row = 6 * size_of(t.type);
  const auto most = static_cast<index_t>(shared_bytes / bytes_a_row);
  const index_t rows = std::max<index_t>(t.geometry.rows, 1);
  hierarchical_shape s{};
  s.lines = line_count(t);
  s.rows = solver::total_rows(t) * t.geometry.right_sides.size;
  s.splits = core::splits_to(rows, most);
  s.pitch = static_cast<int>(((rows - 1) >> s.splits) + 1);
  const int asked = t.options.parameters.switch_point;
  s.switch_point = std::min(asked > 0 ? asked : default_thomas_rows, s.pitch);
  s.shared_bytes = static_cast<std::size_t>(s.pitch) * bytes_a_row;
  s.threads = line_threads(s.pitch, s.shared_bytes, shared_bytes);
  // Equations twice, and whether a line is finite.
  s.workspace_bytes = 2 * solver::alignment +
                      solver::round_up(static_cast<std::size_t>(s.rows) * bytes_a_row) +
                      static_cast<std::size_t>(s.lines) * sizeof(int);
  return s;
}

}  // namespace tridia::cuda
