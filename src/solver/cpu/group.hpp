// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

#include <cstddef>

// What the CPU's kernels are given, free of any vector type: the kernels are compiled once for
// each instruction set (kernels.cpp), everything else once.
namespace tridia::cpu {

/// The most systems that are solved in lockstep.
inline constexpr int max_lanes = 64;

/// Systems that are solved in lockstep, one a lane. Lanes from `live` on repeat lane 0, so that
/// every system goes through the same arithmetic whatever its company.
struct group {
  const layout::geometry* g;
  const void* in[4];  // by layout::array
  void* x;
  index_t* status;  // or null
  index_t rows;     // of the longest lane
  int live;
  // Where each lane's line begins in each array, in elements. A shorter lane is aligned with the
  // others at its last row: its line begins `first[lane]` rows in, after as many rows of identity.
  index_t line[layout::array_count][max_lanes];
  index_t first[max_lanes];
  index_t longest_pad;  // the largest of `first`
  bool stream;          // write x past the cache
};

/// The kernels for one value type and variant (a periodic one for three rows and more; a shorter
/// system is given to the regular one, which folds it). `memory` is aligned to 64 bytes.
struct kernels {
  int lanes;
  std::size_t kept_bytes;     // a row, for solve
  std::size_t factors_bytes;  // a row, for factor
  std::size_t value_bytes;    // a row, for substitute
  /// Solves, and enters the lanes' statuses.
  void (*solve)(const group&, void* memory);
  /// Factors, and gives each live lane's status.
  void (*factor)(const group&, void* factors, index_t* status);
  /// Solves with factors of the same lanes, or of one matrix for all lanes (`single`'s factors).
  void (*substitute)(const group&, const void* factors, void* memory);
  void (*substitute_shared)(const group&, const void* factors, void* memory);
};

/// `wide` has as many lanes as pay, `single` has one.
struct kernel_pair {
  kernels wide, single;
};

/// The best kernels that this processor can run; the name of its instruction set.
kernel_pair find_kernels(value_type, pivoting, boundary);
const char* instruction_set();

}  // namespace tridia::cpu
