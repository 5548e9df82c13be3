// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_batch.hpp"
#include "solver/local_status.hpp"

// These kernels handle lines of which only a part is here: its rows become interface equations, and
// give x once the ends are known. They are compiled once for each instruction set and value type,
// like those of kernel_table.hpp.
namespace tridia::cpu {

/// Locates word 0 of what a line holds, in values of the problem's type, and says how far the next
/// is.
struct value_place {
  index_t first, pitch;
};

/// Holds some groups of lines (whose geometry has no corners), and whether other rows of them are
/// elsewhere: `sub` of the first row counts only if some are before it.
struct part_batch {
  group_batch lines;
  bool before, after;
  // These entries couple the first and the last row to those elsewhere, one a line; null: they lie
  // with the rows.
  const void *entries_before, *entries_after;
  // Rows are interchanged only in lines where numbers would grow. `reduce` with pivoting says of
  // each live line whether it is one, and `expand` has to be told.
  bool* interchanged;
  value_place place[max_systems];  // of live lines
};

struct part_kernels {
  int lanes;
  std::size_t kept_bytes;  // a row, in `memory`
  /// Computes the chunk's interface equations of every live line.
  void (*reduce)(const part_batch&, void* equations, void* memory);
  /// Computes x from the interface unknowns; `found` gets a status for each live line, 0 where it
  /// was solved.
  void (*expand)(const part_batch&, const void* unknowns, void* memory, index_t* found);
};

struct part_kernel_pair {
  part_kernels wide, single;
};

/// Returns the best kernels that this processor can run.
part_kernel_pair find_part_kernels(value_type, pivoting);

#define TRIDIA_DECLARE_TABLES(isa)            \
  namespace isa {                             \
  part_kernel_pair part_table_f32(pivoting);  \
  part_kernel_pair part_table_f64(pivoting);  \
  part_kernel_pair part_table_c64(pivoting);  \
  part_kernel_pair part_table_c128(pivoting); \
  }
TRIDIA_DECLARE_TABLES(x86_64_v2)
TRIDIA_DECLARE_TABLES(x86_64_v3)
TRIDIA_DECLARE_TABLES(x86_64_v4)
TRIDIA_DECLARE_TABLES(baseline)
#undef TRIDIA_DECLARE_TABLES

}  // namespace tridia::cpu
