// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/line_group.hpp"
#include "compact/cpu/vector_block.hpp"
#include "cpu/lane_copy.hpp"

// These functions copy between arrays and the buffer, in which lines lie side by side: row after
// row, a lane a line.
namespace tridia::compact::cpu::TRIDIA_ISA {

using tridia::cpu::TRIDIA_ISA::accumulate;
using tridia::cpu::TRIDIA_ISA::load_lines;
using tridia::cpu::TRIDIA_ISA::load_rows;
using tridia::cpu::TRIDIA_ISA::overwrite;
using tridia::cpu::TRIDIA_ISA::store_lines;
using tridia::cpu::TRIDIA_ISA::store_rows;
using tridia::cpu::TRIDIA_ISA::uncounted;

/// Returns the number of lanes from `lane` on that are neighbours in memory.
inline int neighbours_from(const index_t* at, int lane, int live) {
  int end = lane + 1;
  while (end < live && at[end] == at[end - 1] + 1) ++end;
  return end - lane;
}

/// Loads points k0 to k1 - 1; `rows` is where point 0 goes.
template <class R>
void load(const line_group& s, index_t k0, index_t k1, R* rows) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in) + k0 * s.in_step;
  rows += k0 * s.pitch;
  // Lanes without a line would otherwise work on what memory happens to hold.
  for (index_t k = 0; s.live < s.lanes && k < k1 - k0; ++k) {
    for (int l = s.live; l < s.lanes; ++l) rows[k * s.pitch + l] = 0;
  }
  if (s.in_step != 1) {
    for (int lane = 0, count; lane < s.live; lane += count) {
      count = neighbours_from(s.in_at, lane, s.live);
      load_rows<R, W>(in + s.in_at[lane], s.in_step, rows + lane, s.pitch, k1 - k0, count);
    }
    return;
  }
  uncounted moved;
  for (int lane = 0; lane < s.live; lane += W) {
    const R* lines[W];
    // Lanes beyond the last line repeat it.
    for (int l = 0; l < W; ++l) lines[l] = in + s.in_at[lane + l < s.live ? lane + l : s.live - 1];
    load_lines<R, W>(lines, rows + lane, s.pitch, k1 - k0, moved);
  }
}

/// Loads prescribed right-hand sides, which lie side by side in memory.
template <class R>
void load_prescribed(const line_group& s, index_t count, R* rows) {
  for (index_t k = 0; k < count; ++k, rows += s.pitch) {
    const R* const from = static_cast<const R*>(s.prescribed) + k * s.prescribed_step;
    for (int l = 0; l < s.lanes; ++l) rows[l] = l < s.live ? from[l] : R(0);
  }
}

/// Stores rows k0 to k1 - 1; `rows` is where row 0 is.
template <class R, class Put>
void store_by(Put put, const line_group& s, index_t k0, index_t k1, const R* rows) {
  constexpr int W = width<R>;
  R* const out = static_cast<R*>(s.out) + k0 * s.out_step;
  rows += k0 * s.pitch;
  int lane = 0;
  if (s.out_step == 1) {
    uncounted moved;
    for (; lane + W <= s.live; lane += W) {
      R* lines[W];
      for (int l = 0; l < W; ++l) lines[l] = out + s.out_at[lane + l];
      store_lines<R, W>(rows + lane, s.pitch, lines, k1 - k0, put, moved);
    }
  }
  for (int count; lane < s.live; lane += count) {
    count = s.out_step == 1 ? 1 : neighbours_from(s.out_at, lane, s.live);
    store_rows<R, W>(rows + lane, s.pitch, out + s.out_at[lane], s.out_step, k1 - k0, count, put);
  }
}
template <class R>
void store(const line_group& s, index_t k0, index_t k1, const R* rows) {
  s.accumulate ? store_by(accumulate{}, s, k0, k1, rows)
               : store_by(overwrite{s.nontemporal}, s, k0, k1, rows);
}

}  // namespace tridia::compact::cpu::TRIDIA_ISA
