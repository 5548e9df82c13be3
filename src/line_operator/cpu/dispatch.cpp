// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cpu/isa.hpp"
#include "line_operator/cpu/kernels.hpp"

namespace tridia::line_operator::cpu {

template <>
kernels<float> find_kernels() {
#define TRIDIA_TABLE_F32(isa) isa::table_f32()
  TRIDIA_RETURN_BEST(TRIDIA_TABLE_F32)
#undef TRIDIA_TABLE_F32
}

template <>
kernels<double> find_kernels() {
#define TRIDIA_TABLE_F64(isa) isa::table_f64()
  TRIDIA_RETURN_BEST(TRIDIA_TABLE_F64)
#undef TRIDIA_TABLE_F64
}

}  // namespace tridia::line_operator::cpu
