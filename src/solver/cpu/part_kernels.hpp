// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group.hpp"
#include "solver/local_status.hpp"

// Lines of which only a part is here: its rows become interface equations, and x once the ends are
// known. As kernel_table.hpp: compiled once for each instruction set and value type.
namespace tridia::cpu {

/// Where word 0 of what a line holds is, in values of the problem's type, and how far the next is.
struct value_place {
  index_t first, pitch;
};

/// Some groups of lines (whose geometry has no corners), and whether other rows of them are
/// elsewhere: `sub` of the first row counts only if some are before it.
struct part_strip {
  strip lines;
  bool before, after;
  // What couples the first and the last row to those elsewhere, one a line; null: where the rows
  // have it.
  const void *entries_before, *entries_after;
  value_place place[max_systems];  // of live lines
};

struct part_kernels {
  int lanes;
  std::size_t kept_bytes;  // a row, in `memory`
  /// The chunk's equations of every live line.
  void (*reduce)(const part_strip&, void* equations, void* memory);
  /// x, from the ends; `found` has an entry for each live line, 0 where all is well.
  void (*expand)(const part_strip&, const void* unknowns, void* memory, index_t* found);
};

struct part_kernel_pair {
  part_kernels wide, single;
};

/// The best kernels that this processor can run.
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
