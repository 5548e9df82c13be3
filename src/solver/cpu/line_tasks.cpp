// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/detail/line_tasks.hpp"

#include "solver/cpu/parallel_for.hpp"

namespace tridia::detail {

int line_threads(int asked, index_t rows) noexcept {
  constexpr index_t serial_rows = 8192;
  if (rows < serial_rows) return 1;
  return asked > 0 ? asked : omp_get_max_threads();
}

void run_line_tasks(int threads, index_t count, void (*call)(void*, index_t, int),
                    void* data) noexcept {
  cpu::parallel_for(
      threads, count, [&](index_t task, int thread) { call(data, task, thread); },
      cpu::sharing::dynamic);
}

}  // namespace tridia::detail
