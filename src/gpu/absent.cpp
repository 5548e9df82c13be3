// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file replaces the others of this folder in a build without CUDA.
#include "gpu/absent.hpp"

#include "gpu/devices.hpp"
#include "tridia/error.hpp"

namespace tridia::gpu {

void refuse_without_cuda() {
  throw error(errc::unsupported,
              "backend: cuda was asked for, but this build of tridia has no CUDA backend: build it "
              "where nvcc is found (TRIDIA_CUDA=ON)");
}

void describe(system_info&) {}

// Without CUDA in the process there is no memory but the host's.
void check_host_pointer(const char*, const void*) {}

}  // namespace tridia::gpu
