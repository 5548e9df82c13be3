// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/info.hpp"

#include "cpu/isa.hpp"
#include "gpu/devices.hpp"
#include "tridia/version.hpp"

#include <omp.h>

namespace tridia {

std::string version() {
  std::string text;
  for (const int number : {TRIDIA_VERSION_MAJOR, TRIDIA_VERSION_MINOR, TRIDIA_VERSION_PATCH}) {
    text += (text.empty() ? "" : ".") + std::to_string(number);
  }
  return text;
}

system_info query_system() {
  system_info info;
  info.simd = cpu::instruction_set();
  info.threads = omp_get_max_threads();
  gpu::describe(info);
  return info;
}

}  // namespace tridia
