// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cpu/isa.hpp"

#include "tridia/error.hpp"

namespace tridia::cpu {

isa_level best_isa() {
#if defined(TRIDIA_X86_64_V4)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd")) {
    return isa_level::x86_64_v4;
  }
#endif
#if defined(TRIDIA_X86_64_V3)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return isa_level::x86_64_v3;
  }
#endif
  // The lowest level needs no check.
#if defined(TRIDIA_X86_64_V2)
  return isa_level::x86_64_v2;
#elif defined(__x86_64__)
  throw error(errc::unsupported,
              "backend: this build's CPU kernels need a newer processor: build with level 2 among "
              "TRIDIA_X86_64_LEVELS");
#else
  return isa_level::baseline;
#endif
}

const char* instruction_set() {
  switch (best_isa()) {
    case isa_level::x86_64_v2:
      return "x86-64-v2";
    case isa_level::x86_64_v3:
      return "x86-64-v3";
    case isa_level::x86_64_v4:
      return "x86-64-v4";
    case isa_level::baseline:
      break;
  }
  return "baseline";
}

}  // namespace tridia::cpu
