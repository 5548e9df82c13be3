// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lane_copy.hpp"
#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/vector_block.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

// These functions copy between arrays and the buffer, in which lines lie side by side: row after
// row, a lane a line.
namespace tridia::line_operator::cpu::TRIDIA_ISA {

using tridia::cpu::TRIDIA_ISA::accumulate;
using tridia::cpu::TRIDIA_ISA::load_lines_by_vectors;
using tridia::cpu::TRIDIA_ISA::load_rows;
using tridia::cpu::TRIDIA_ISA::load_short_lines;
using tridia::cpu::TRIDIA_ISA::load_vector;
using tridia::cpu::TRIDIA_ISA::overwrite;
using tridia::cpu::TRIDIA_ISA::store_lines;
using tridia::cpu::TRIDIA_ISA::store_lines_by_vectors;
using tridia::cpu::TRIDIA_ISA::store_rows;
using tridia::cpu::TRIDIA_ISA::store_short_lines;

/// Returns the number of lanes from `lane` on that are neighbours in memory.
inline int neighbours_from(const index_t* at, int lane, int live) {
  int end = lane + 1;
  while (end < live && at[end] == at[end - 1] + 1) ++end;
  return end - lane;
}

/// Calls beside(lane, k) for each piece of W rows of some lanes, from row k on, that was moved.
template <int W, class Beside>
struct moved_pieces {
  const Beside& beside;
  int lane;
  index_t k;
  TRIDIA_FN void operator()(int) {
    beside(lane, k);
    k += W;
  }
};

/// Loads points k0 to k1 - 1; `rows` is where point 0 goes. Calls beside(lane, k) for each cache
/// line of each of some contiguous lines.
template <class R, class Beside>
void load(const line_group& s, index_t k0, index_t k1, R* rows, const Beside& beside) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in) + k0 * s.in_step;
  rows += k0 * s.pitch;
  const index_t count = k1 - k0;
  // Lanes without a line would otherwise work on what memory happens to hold.
  for (index_t k = 0; s.live < s.lanes && k < count; ++k) {
    for (int l = s.live; l < s.lanes; ++l) rows[k * s.pitch + l] = 0;
  }
  if (s.in_step != 1) {
    for (int lane = 0, some; lane < s.live; lane += some) {
      some = neighbours_from(s.in_at, lane, s.live);
      load_rows<R, W>(in + s.in_at[lane], s.in_step, rows + lane, s.pitch, count, some);
    }
    return;
  }
  for (int lane = 0; lane < s.live; lane += W) {
    moved_pieces<W, Beside> moved{beside, lane, k0};
    const bool whole = lane + W <= s.live;
    if (whole && count < W && s.in_apart == count &&
        load_short_lines<R, W>(in + s.in_at[lane], rows + lane, s.pitch, count, moved)) {
      continue;
    }
    const R* lines[W];
    // Lanes beyond the last line repeat it.
    for (int l = 0; l < W; ++l) lines[l] = in + s.in_at[lane + l < s.live ? lane + l : s.live - 1];
    load_lines_by_vectors<R, W>(lines, rows + lane, s.pitch, count, moved);
    if (moved.k < k1) beside(lane, moved.k);
  }
}

/// Loads prescribed right-hand sides, and given results, which lie side by side in memory.
template <class R>
void load_prescribed(const line_group& s, index_t count, R* rows) {
  for (index_t k = 0; k < count; ++k, rows += s.pitch) {
    const R* const from = static_cast<const R*>(s.prescribed) + k * s.prescribed_step;
    for (int l = 0; l < s.lanes; ++l) rows[l] = l < s.live ? from[l] : R(0);
  }
}

/// Stores rows k0 to k1 - 1; `rows` is where row k0 is.
template <class R, class Put, class Beside>
void store_by(Put put, const line_group& s, index_t k0, index_t k1, const R* rows,
              const Beside& beside) {
  constexpr int W = width<R>;
  // What was stored must not be added to once more.
  constexpr bool again = std::is_same_v<Put, overwrite>;
  R* const out = static_cast<R*>(s.out) + k0 * s.out_step;
  const index_t count = k1 - k0;
  int lane = 0;
  for (; s.out_step == 1 && lane + W <= s.live; lane += W) {
    moved_pieces<W, Beside> moved{beside, lane, k0};
    if (count < W && s.out_apart == count &&
        store_short_lines<R, W>(rows + lane, s.pitch, out + s.out_at[lane], count, put, moved)) {
      continue;
    }
    R* lines[W];
    for (int l = 0; l < W; ++l) lines[l] = out + s.out_at[lane + l];
    if constexpr (again) {
      store_lines_by_vectors<R, W>(rows + lane, s.pitch, lines, count, put, moved);
    } else {
      store_lines<R, W>(rows + lane, s.pitch, lines, count, put, moved);
    }
    if (moved.k < k1) beside(lane, moved.k);
  }
  for (int some; lane < s.live; lane += some) {
    some = s.out_step == 1 ? 1 : neighbours_from(s.out_at, lane, s.live);
    store_rows<R, W>(rows + lane, s.pitch, out + s.out_at[lane], s.out_step, count, some, put);
  }
}
/// Stores rows k0 to k1 - 1, or adds them; `rows` is where row k0 is. Calls beside(lane, k) as
/// `load` does.
template <class R, class Beside>
void store(const line_group& s, index_t k0, index_t k1, const R* rows, const Beside& beside) {
  s.accumulate ? store_by(accumulate{}, s, k0, k1, rows, beside)
               : store_by(overwrite{s.nontemporal}, s, k0, k1, rows, beside);
}

/// Copies values past the cache. The ends, which are not whole cache lines, are copied into it.
template <class R>
void copy_past_cache(const R* from, R* to, index_t count) {
  constexpr int W = width<R>;
  constexpr index_t line = 64 / sizeof(R);
  const auto past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(R)) % line;
  index_t i = 0;
  for (const index_t end = std::min((line - past) % line, count); i < end; ++i) to[i] = from[i];
  const overwrite put{true};
  for (; i + W <= count; i += W) put.template put<R, W>(to + i, load_vector<R, W>(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

/// Stores all `count` rows of lines that follow each other in memory, past the cache: so they do
/// whatever their length and the address of the first are. `rows` is where row 0 is; `memory` has
/// room for all values.
template <class R>
void store_together(const line_group& s, index_t count, const R* rows, R* memory) {
  index_t at[most_lanes];
  for (int l = 0; l < s.live; ++l) at[l] = l * count;
  line_group here = s;
  here.out = memory;
  here.out_at = at;
  here.out_apart = count;
  store_by(overwrite{false}, here, 0, count, rows, [](int, index_t) {});
  copy_past_cache(memory, static_cast<R*>(s.out) + s.out_at[0], s.live * count);
}

}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
