// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/border_sums.hpp"
#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/operator_tables.hpp"

// These kernels apply line operators. They are compiled once for each instruction set and real type
// (kernels.cpp), everything else once.
namespace tridia::line_operator::cpu {

/// Holds the kernels for one value type. `buffer` holds `buffer_rows * pitch` values, aligned to 64
/// bytes.
template <class R>
struct kernels {
  int unit;  // lanes of a transpose; a group's are a multiple
  int wide;  // lanes that are best worked on at once
  /// Returns whether all results are finite, if the group's failures are asked for.
  bool (*apply)(const tables<R>&, const line_group&, R* buffer);
  void (*sum)(const border_sums<R>&);
};

/// Returns the best kernels that were built and that the processor supports.
template <class R>
kernels<R> find_kernels();

#define TRIDIA_DECLARE_TABLES(isa) \
  namespace isa {                  \
  kernels<float> table_f32();      \
  kernels<double> table_f64();     \
  }
TRIDIA_DECLARE_TABLES(x86_64_v2)
TRIDIA_DECLARE_TABLES(x86_64_v3)
TRIDIA_DECLARE_TABLES(x86_64_v4)
TRIDIA_DECLARE_TABLES(baseline)
#undef TRIDIA_DECLARE_TABLES

}  // namespace tridia::line_operator::cpu
