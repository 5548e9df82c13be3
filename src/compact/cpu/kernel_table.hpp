// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/strip.hpp"

// Each compilation of kernels.cpp defines the kernels of one real type for one instruction set.
#define TRIDIA_DECLARE_TABLES(isa) \
  namespace isa {                  \
  kernels<float> table_f32();      \
  kernels<double> table_f64();     \
  }

namespace tridia::compact::cpu {
TRIDIA_DECLARE_TABLES(x86_64_v2)
TRIDIA_DECLARE_TABLES(x86_64_v3)
TRIDIA_DECLARE_TABLES(x86_64_v4)
TRIDIA_DECLARE_TABLES(baseline)
}  // namespace tridia::compact::cpu

#undef TRIDIA_DECLARE_TABLES
