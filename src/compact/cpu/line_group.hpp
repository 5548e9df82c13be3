// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::compact::cpu {

/// This is the maximum number of lanes of a group.
inline constexpr int most_lanes = 512;

/// Describes the lines that go through the buffer side by side, a lane each. There is no vector
/// type in it: kernels are compiled once for each instruction set, everything else once.
struct line_group {
  const void* in;
  void* out;
  const index_t *in_at, *out_at;  // where each line begins, in elements
  index_t in_step, out_step;      // along the lines
  int live;                       // lines
  int lanes;                      // what they are rounded up to; a multiple of kernels::unit
  index_t pitch;                  // from one row of the buffer to the next
  index_t chunk;                  // rows that are loaded, worked on and stored at a time
  index_t visit;                  // rows of a few lanes that are worked on before the next few
  bool far;                       // the arrays are larger than the cache
  bool nontemporal;               // write past the cache
  index_t ahead;                  // rows that memory is asked for in advance, where lanes lie
  index_t next;                   // where the next group's first line begins in `in`; -1: none
  const void* prescribed;         // of the first line; null where no row's is
  index_t prescribed_step;        // from one row that is prescribed to the next
  double s;
  bool accumulate;
};

}  // namespace tridia::compact::cpu
