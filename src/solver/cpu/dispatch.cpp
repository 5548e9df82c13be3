// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cpu/isa.hpp"
#include "solver/cpu/kernels.hpp"
#include "solver/cpu/part_kernels.hpp"

namespace tridia::cpu {
namespace {

/// Holds a table for each value type.
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

}  // namespace tridia::cpu
