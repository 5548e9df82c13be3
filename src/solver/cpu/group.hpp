// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

#include <cstddef>

// This header defines the arguments of the CPU's kernels, free of any vector type: the kernels are
// compiled once for each instruction set (kernels.cpp), everything else once.
namespace tridia::cpu {

/// These are the maximum numbers of groups of a strip, lanes of a group, and systems of a strip.
inline constexpr int max_groups = 32, max_lanes = 64, max_systems = 1024;

/// A strip is some groups of systems; a group is solved in lockstep, one system a lane. Lanes from
/// `live` on repeat the group's lane 0, so that every system goes through the same arithmetic
/// whatever the other systems are.
struct strip {
  const layout::geometry* g;
  const void* in[4];  // by layout::array
  void* x;
  index_t* status;  // or null
  index_t rows;     // of the longest system
  int groups, live;
  // `sweep` alone uses these: the number of groups that a row of the memory between the sweeps has
  // room for, and whether rows lie there from the last to the first.
  int room;
  bool reversed;
  bool stream;   // write x past the cache
  bool own;      // ask for x's memory before it is written instead
  bool by_rows;  // right-hand sides of one matrix that are neighbours: a row of all, then the next
  // This is where each system's line begins in each array, in elements. A shorter one is aligned
  // with the others at its last row: its line begins `first` rows in, after as many rows of
  // identity.
  index_t line[layout::array_count][max_systems];
  index_t first[max_systems];
  index_t longest_pad;  // the largest of `first`
};

/// Holds the kernels for one value type and variant (a periodic one for three rows and more; a
/// shorter system is given to the regular one, which folds it). `memory` is aligned to 64 bytes.
struct kernels {
  int lanes;
  std::size_t kept_bytes;     // a row, for solve
  std::size_t factors_bytes;  // a row, for factor
  std::size_t value_bytes;    // a row, for substitute
  /// Solves, one group after another, and enters the systems' statuses; x is NaN where that is not
  /// 0.
  void (*solve)(const strip&, void* memory);
  /// Runs the forward sweep of one strip beside the backward sweep of the one before it (either may
  /// be null), all groups a row at a time: for systems that are neighbours in memory, so that long
  /// pieces of rows are read and written at once. The two strips have opposite `reversed`: each row
  /// that is read back makes room for one that is kept.
  void (*sweep)(const strip* down, const strip* back, void* memory);
  /// Factors one group, and writes each live lane's status.
  void (*factor)(const strip&, void* factors, index_t* status);
  /// Solves one group with its factors (and statuses of its matrices), or any groups with those of
  /// one matrix for all (`single`'s). Returns whether all of it has a finite solution; what has not
  /// is NaN, and so have to be the other right-hand sides of its systems.
  bool (*substitute)(const strip&, const index_t* of_lane, const void* factors, void* memory);
  bool (*substitute_shared)(const strip&, const index_t* of_matrix, const void* factors,
                            void* memory);
};

/// Holds two sets of kernels: `wide` has as many lanes as pay, `single` has one.
struct kernel_pair {
  kernels wide, single;
};

/// A stretch is neighbouring systems of a batch, in groups of as many as their kernels have lanes;
/// a strip is filled from it.
struct stretch {
  const kernels* with;
  index_t first, count;
  int groups;
  index_t rows;
};

/// Returns the best kernels that this processor can run.
kernel_pair find_kernels(value_type, pivoting, boundary);

}  // namespace tridia::cpu
