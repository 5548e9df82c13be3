// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/one_call.hpp"

#include "gpu/check.hpp"

namespace tridia::solver {

void cuda_execute_and_wait(const plan& p, const void* dl, const void* d, const void* du,
                           const void* rhs, void* x, std::span<index_t> status, void* stream) {
  using gpu::check;
  const gpu::device_scope scope(p.device());
  const gpu::device_memory workspace(p.workspace_bytes());
  const gpu::device_memory statuses(status.size_bytes());
  const auto s = static_cast<cudaStream_t>(stream);
  execute(p, dl, d, du, rhs, x,
          {.workspace = workspace.as<void>(),
           .workspace_bytes = p.workspace_bytes(),
           .status = statuses.as<index_t>(),
           .stream = stream});
  if (!status.empty()) {
    check(cudaMemcpyAsync(status.data(), statuses.as<void>(), status.size_bytes(),
                          cudaMemcpyDeviceToHost, s),
          "copying statuses from the device");
  }
  check(cudaStreamSynchronize(s), "solving");
}

}  // namespace tridia::solver
