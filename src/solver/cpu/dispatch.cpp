// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/kernel_table.hpp"

namespace tridia::cpu {
namespace {

struct tables {
  const char* name;
  kernel_pair (*f32)(pivoting, boundary);
  kernel_pair (*f64)(pivoting, boundary);
  kernel_pair (*c64)(pivoting, boundary);
  kernel_pair (*c128)(pivoting, boundary);
};

const tables& best() {
#if defined(TRIDIA_X86_64)
  static constexpr tables v2{"x86-64-v2", x86_64_v2::table_f32, x86_64_v2::table_f64,
                             x86_64_v2::table_c64, x86_64_v2::table_c128};
  static constexpr tables v3{"x86-64-v3", x86_64_v3::table_f32, x86_64_v3::table_f64,
                             x86_64_v3::table_c64, x86_64_v3::table_c128};
  static constexpr tables v4{"x86-64-v4", x86_64_v4::table_f32, x86_64_v4::table_f64,
                             x86_64_v4::table_c64, x86_64_v4::table_c128};
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  static const tables& chosen = has_v4 ? v4 : has_v3 ? v3 : v2;
#else
  static constexpr tables chosen{"baseline", baseline::table_f32, baseline::table_f64,
                                 baseline::table_c64, baseline::table_c128};
#endif
  return chosen;
}

}  // namespace

kernel_pair find_kernels(value_type type, pivoting p, boundary b) {
  switch (type) {
    case value_type::f32:
      return best().f32(p, b);
    case value_type::c64:
      return best().c64(p, b);
    case value_type::c128:
      return best().c128(p, b);
    case value_type::f64:
      break;
  }
  return best().f64(p, b);
}

const char* instruction_set() { return best().name; }

}  // namespace tridia::cpu
