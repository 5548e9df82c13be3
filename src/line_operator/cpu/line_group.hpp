// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::line_operator::cpu {

/// This is the maximum number of lanes of a group.
inline constexpr int most_lanes = 512;

/// This is the maximum number of rows that are loaded or stored at a time, and of those that are
/// staged then: a chunk takes up to 15 rows more, that would be a chunk of less than a vector.
inline constexpr index_t most_chunk = 64, most_staged = most_chunk + 16;

/// Says why a line has no finite result: row `row` of it is the first that is not finite; or
/// there the elimination overflows. -1: it has one.
struct line_failure {
  index_t row;
  bool overflows;
};

/// Describes the lines that go through the buffer side by side, a lane each. There is no vector
/// type in it: kernels are compiled once for each instruction set, everything else once.
struct line_group {
  const void* in;
  void* out;
  const index_t *in_at, *out_at;  // where each line begins, in elements
  index_t in_apart, out_apart;    // from each line to the next one; 0: not the same for all
  index_t in_step, out_step;      // along the lines
  int live;                       // lines
  int lanes;                      // what they are rounded up to; a multiple of kernels::unit
  index_t pitch;                  // from one row of the buffer to the next
  index_t chunk;                  // rows that are loaded, worked on and stored at a time
  index_t visit;                  // rows of a few lanes that are worked on before the next few
  bool far;                       // the arrays are larger than the cache of a core
  bool nontemporal;               // write past the cache
  bool in_one_piece;              // results of all lines, which follow each other, are written so
  // These are the rows that memory is asked for in advance: where a row of lanes is one piece and
  // is worked on there, and where lines are contiguous.
  index_t ahead, ahead_in_lines;
  bool has_next;                    // another group follows, whose first line begins
  index_t to_next_in, to_next_out;  // so many elements after this one's
  const void* prescribed;           // of the first line; null where no row's is
  index_t prescribed_step;          // from one row that is prescribed to the next
  double s;
  bool accumulate;
  line_failure* failures;  // of each line, entered if there is any; null where none is looked for
};

}  // namespace tridia::line_operator::cpu
