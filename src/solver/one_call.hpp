// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "tridia/plan.hpp"

#include <span>
#include <vector>

namespace tridia::solver {

/// Returns a vector of `systems` statuses; throws out_of_memory.
std::vector<index_t> host_statuses(std::size_t systems);

/// Calls the overload of `plan::execute` that suits the plan.
inline void execute(const plan& p, const void* dl, const void* d, const void* du, const void* rhs,
                    void* x, const execution& e) {
  if (layout::has_constant_coefficients(p.problem())) {
    p.execute(rhs, x, e);
  } else {
    p.execute(dl, d, du, rhs, x, e);
  }
}

/// Allocates a workspace where the plan runs, executes, waits, and leaves the statuses in host
/// memory. Throws out_of_memory.
void execute_and_wait(const plan&, const void* dl, const void* d, const void* du, const void* rhs,
                      void* x, std::span<index_t> status, void* stream);

/// Does what `execute_and_wait` does, on the plan's GPU.
void cuda_execute_and_wait(const plan&, const void* dl, const void* d, const void* du,
                           const void* rhs, void* x, std::span<index_t> status, void* stream);

}  // namespace tridia::solver
