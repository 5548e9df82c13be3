// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

#include <cstddef>

namespace tridia::cpu {

/// These are the maximum numbers of groups of a batch, lanes of a group, and systems of a batch.
inline constexpr int max_groups = 32, max_lanes = 64, max_systems = 1024;

/// Holds right-hand sides of the first and of the last row of lines, which are read in place of
/// those in the array: values of the problem's type, one for each right-hand side of the first
/// matrix, then of the next. Null: there are none.
struct end_values {
  const void *first = nullptr, *last = nullptr;
};

/// A batch of lane groups is what a kernel works on at a time. A group is solved in lockstep, one
/// system a lane. Lanes from `live` on repeat the last group's first lane, so that every system
/// goes through the same arithmetic whatever the other systems are. There is no vector type in it:
/// kernels, compiled once for each instruction set, see a group of it as a lane_group.
struct group_batch {
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
  bool nontemporal;         // write x past the cache
  bool prefetch_for_write;  // prefetch x's memory before it is written instead
  bool by_rows;  // factor and substitute a row of all groups, then the next: they are neighbours
  bool prefetch_factors;      // they are in no near cache
  std::size_t factors_pitch;  // bytes from one group's factors to the next; 0: all have the same
  // This is where each system's line begins in each array, in elements. A shorter one is aligned
  // with the others at its last row: its line begins `first` rows in, after as many rows of
  // identity.
  index_t line[layout::array_count][max_systems];
  index_t first[max_systems];
  index_t longest_pad;  // the largest of `first`
  // This is how far each line is from the one before it in each array, if `evenly` that is the same
  // for all live systems. Then `line` is given for the first one of each group alone, but for
  // statuses and the last group.
  index_t apart[layout::array_count];
  bool evenly = false;
  // The value of system l among `ends` is number `ends_at` + l * `ends_pitch`.
  end_values ends{};
  index_t ends_at, ends_pitch;
};

/// Places lines of whole length in a batch of `live` systems, in groups of `lanes`: those of
/// consecutive points of `systems` from `from` on, `base` added in each array.
void place_lines(group_batch& batch, const layout::axes& systems, index_t from,
                 const index_t (&base)[layout::array_count], int lanes);

/// Gives the lanes beyond the live ones the line of their group's first one.
void repeat_lines(group_batch& batch, int lanes);

}  // namespace tridia::cpu
