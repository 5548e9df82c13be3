// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/hierarchical.hpp"

#include "core/cyclic_reduction.hpp"
#include "core/dispatch.hpp"
#include "gpu/check.hpp"
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/default_parameters.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

namespace tridia::cuda {

using namespace gpu;

hierarchical_shape plan_hierarchical(const task& t, const device_limits& d) {
  const std::size_t bytes_a_row = 6 * size_of(t.type);
  const auto most = static_cast<index_t>(d.shared_bytes / bytes_a_row);
  const index_t rows = std::max<index_t>(t.geometry.rows, 1);
  hierarchical_shape s{};
  s.lines = line_count(t);
  s.rows = solver::total_rows(t) * t.geometry.right_sides.size;
  s.splits = core::splits_to(rows, most);
  s.pitch = static_cast<int>(((rows - 1) >> s.splits) + 1);
  const index_t rows_of_thomas = chosen_switch_point(t, solver::default_thomas_switch_point, d);
  s.switch_point = static_cast<int>(std::min<index_t>(rows_of_thomas, s.pitch));
  s.shared_bytes = static_cast<std::size_t>(s.pitch) * bytes_a_row;
  s.threads = line_threads(s.pitch, s.shared_bytes, d.shared_bytes);
  // The workspace holds the equations twice, and for each line whether it is finite.
  s.workspace_bytes = 2 * solver::alignment +
                      solver::round_up(static_cast<std::size_t>(s.rows) * bytes_a_row) +
                      static_cast<std::size_t>(s.lines) * sizeof(int);
  return s;
}

std::unique_ptr<const method> make_hierarchical(const task& t, const device_limits& d) {
  const hierarchical_shape s = plan_hierarchical(t, d);
  if (s.splits == 0) return make_pcr_thomas(t, d);
  const hierarchical_launches launches = core::with_real_type(
      t.type, [](auto v) { return hierarchical_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches,
                     std::to_string(s.splits) + " steps of PCR in memory, then a block for " +
                         std::to_string(s.pitch) + " rows, " + std::to_string(s.threads) +
                         " threads, switch point " + std::to_string(s.switch_point),
                     {.workspace_bytes = s.workspace_bytes});
}

}  // namespace tridia::cuda
