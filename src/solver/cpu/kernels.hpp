// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_batch.hpp"

#include <cstddef>

// These kernels solve, factor and substitute. They are compiled once for each instruction set and
// value type (kernels.cpp), everything else once.
namespace tridia::cpu {

/// Holds the kernels for one value type and variant (a periodic one for three rows and more; a
/// shorter system is given to the regular one, which folds it). `memory` is aligned to 64 bytes.
struct kernels {
  int lanes;
  std::size_t kept_bytes;     // a row, for solve
  std::size_t factors_bytes;  // a row, for factor
  std::size_t value_bytes;    // a row, for substitute
  /// Solves, one group after another, and enters the systems' statuses; x is NaN where that is not
  /// 0.
  void (*solve)(const group_batch&, void* memory);
  /// Runs the forward sweep of one batch beside the backward sweep of the one before it (either may
  /// be null), all groups a row at a time: for systems that are neighbours in memory, so that long
  /// pieces of rows are read and written at once. The two batches have opposite `reversed`: each
  /// row that is read back makes room for one that is kept.
  void (*sweep)(const group_batch* down, const group_batch* back, void* memory);
  /// Factors, and writes each live lane's status.
  void (*factor)(const group_batch&, void* factors, index_t* status);
  /// Solves groups with their factors (and statuses of their matrices), or with those of one matrix
  /// for all (`single`'s). Returns whether all of it has a finite solution; what has not is NaN,
  /// and so have to be the other right-hand sides of its systems.
  bool (*substitute)(const group_batch&, const index_t* of_lane, const void* factors, void* memory);
  bool (*substitute_shared)(const group_batch&, const index_t* of_matrix, const void* factors,
                            void* memory);
};

/// Holds two sets of kernels: `wide` has as many lanes as pay, `single` has one.
struct kernel_pair {
  kernels wide, single;
};

/// Returns the best kernels that this processor can run.
kernel_pair find_kernels(value_type, pivoting, boundary);

#define TRIDIA_DECLARE_TABLES(isa)            \
  namespace isa {                             \
  kernel_pair table_f32(pivoting, boundary);  \
  kernel_pair table_f64(pivoting, boundary);  \
  kernel_pair table_c64(pivoting, boundary);  \
  kernel_pair table_c128(pivoting, boundary); \
  }
TRIDIA_DECLARE_TABLES(x86_64_v2)
TRIDIA_DECLARE_TABLES(x86_64_v3)
TRIDIA_DECLARE_TABLES(x86_64_v4)
TRIDIA_DECLARE_TABLES(baseline)
#undef TRIDIA_DECLARE_TABLES

}  // namespace tridia::cpu
