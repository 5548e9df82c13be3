// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/info.hpp"

#include "cpu/level.hpp"
#include "gpu/devices.hpp"
#include "version.hpp"

#include <omp.h>

namespace tridia {

std::string version() { return TRIDIA_VERSION; }

system_info query_system() {
  system_info info;
  info.simd = cpu::instruction_set();
  info.threads = omp_get_max_threads();
  cuda::describe(info);
  return info;
}

}  // namespace tridia
