// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/one_call.hpp"

#include <memory>
#include <new>
#include <string>

namespace tridia::solver {

std::vector<index_t> host_statuses(std::size_t systems) try {
  return std::vector<index_t>(systems);
} catch (const std::exception&) {
  throw error(errc::out_of_memory,
              "status: no host memory for " + std::to_string(systems) + " entries");
}

void execute_and_wait(const plan& p, const void* dl, const void* d, const void* du, const void* rhs,
                      void* x, std::span<index_t> status, void* stream) {
  if (p.backend() == backend::cuda) {
    cuda_execute_and_wait(p, dl, d, du, rhs, x, status, stream);
    return;
  }
  // This is no std::vector: one thread would touch all of its pages.
  const std::size_t bytes = p.workspace_bytes();
  const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (!memory) {
    throw error(errc::out_of_memory,
                "workspace: no host memory for " + std::to_string(bytes) + " bytes");
  }
  execute(p, dl, d, du, rhs, x,
          {.workspace = memory.get(), .workspace_bytes = bytes, .status = status.data()});
}

}  // namespace tridia::solver
