// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group.hpp"

// Each compilation of kernels.cpp defines these tables: the kernels of one value type for one
// instruction set.
#define TRIDIA_DECLARE_TABLES(isa)            \
  namespace isa {                             \
  kernel_pair table_f32(pivoting, boundary);  \
  kernel_pair table_f64(pivoting, boundary);  \
  kernel_pair table_c64(pivoting, boundary);  \
  kernel_pair table_c128(pivoting, boundary); \
  }

namespace tridia::cpu {
TRIDIA_DECLARE_TABLES(x86_64_v2)
TRIDIA_DECLARE_TABLES(x86_64_v3)
TRIDIA_DECLARE_TABLES(x86_64_v4)
TRIDIA_DECLARE_TABLES(baseline)
}  // namespace tridia::cpu

#undef TRIDIA_DECLARE_TABLES
