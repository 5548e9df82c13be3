// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/kernel_table.hpp"
#include "solver/cpu/level.hpp"
#include "solver/cpu/part_kernels.hpp"
#include "tridia/error.hpp"

namespace tridia::cpu {

level best_level() {
#if defined(TRIDIA_X86_64_V4)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd")) {
    return level::x86_64_v4;
  }
#endif
#if defined(TRIDIA_X86_64_V3)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return level::x86_64_v3;
  }
#endif
  // The lowest one needs no asking.
#if defined(TRIDIA_X86_64_V2)
  return level::x86_64_v2;
#elif defined(__x86_64__)
  throw error(errc::unsupported,
              "backend: this build's CPU kernels need a newer processor: build with level 2 among "
              "TRIDIA_X86_64_LEVELS");
#else
  return level::baseline;
#endif
}

namespace {

/// A table for each value type.
template <class Table>
struct by_type {
  Table f32, f64, c64, c128;
  Table of(value_type type) const {
    switch (type) {
      case value_type::f32:
        return f32;
      case value_type::c64:
        return c64;
      case value_type::c128:
        return c128;
      case value_type::f64:
        break;
    }
    return f64;
  }
};

struct tables {
  by_type<kernel_pair (*)(pivoting, boundary)> whole;
  by_type<part_kernel_pair (*)(pivoting)> part;
};

tables find_best() {
#define TRIDIA_TABLES(isa)                                                                \
  tables {                                                                                \
    {isa::table_f32, isa::table_f64, isa::table_c64, isa::table_c128}, {                  \
      isa::part_table_f32, isa::part_table_f64, isa::part_table_c64, isa::part_table_c128 \
    }                                                                                     \
  }
  TRIDIA_RETURN_BEST(TRIDIA_TABLES)
#undef TRIDIA_TABLES
}

const tables& best() {
  static const tables chosen = find_best();
  return chosen;
}

}  // namespace

kernel_pair find_kernels(value_type type, pivoting p, boundary b) {
  return best().whole.of(type)(p, b);
}

part_kernel_pair find_part_kernels(value_type type, pivoting p) { return best().part.of(type)(p); }

const char* instruction_set() {
  switch (best_level()) {
    case level::x86_64_v2:
      return "x86-64-v2";
    case level::x86_64_v3:
      return "x86-64-v3";
    case level::x86_64_v4:
      return "x86-64-v4";
    case level::baseline:
      break;
  }
  return "baseline";
}

}  // namespace tridia::cpu
