// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// What a build without CUDA has instead of the files beside this one, in compact/cuda and in
// distributed/cuda.
#include "compact/executor.hpp"
#include "distributed/backend.hpp"
#include "solver/cuda/devices.hpp"
#include "solver/executor.hpp"
#include "solver/host_pointer.hpp"
#include "solver/one_call.hpp"

namespace tridia::cuda {

void describe(system_info&) {}

namespace {

[[noreturn]] void refuse() {
  throw error(errc::unsupported,
              "backend: cuda was asked for, but this build of tridia has no CUDA backend: build it "
              "where nvcc is found (TRIDIA_CUDA=ON)");
}

}  // namespace
}  // namespace tridia::cuda

namespace tridia::distributed {

std::unique_ptr<const backend> make_cuda_backend(int) { cuda::refuse(); }

}  // namespace tridia::distributed

namespace tridia::compact {

std::unique_ptr<const executor> make_cuda(const task&) { cuda::refuse(); }

}  // namespace tridia::compact

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task&) { cuda::refuse(); }

void cuda_execute_and_wait(const plan&, const void*, const void*, const void*, const void*, void*,
                           std::span<index_t>, void*) {
  throw error(errc::unsupported, "backend: this build of tridia has no CUDA backend");
}

// Without CUDA in the process there is no memory but the host's.
void check_host_pointer(const char*, const void*) {}

}  // namespace tridia::solver
