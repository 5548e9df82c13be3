// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/recurrence.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "gpu/peer/end_round.cuh"
#include "line_operator/cuda/carry.cuh"
#include "line_operator/cuda/exchanging_warp.cuh"
#include "line_operator/cuda/producer_warp.cuh"
#include "line_operator/cuda/scan_memory.cuh"
#include "line_operator/cuda/scan_rows.cuh"
#include "line_operator/cuda/scan_tile.cuh"

#include <climits>
#include <type_traits>

// The kernel that solves lines by recurrences known beforehand, and its launch. The files that
// include this one are compiled once for each value type, TRIDIA_VALUE, and name the kernel's
// variants.
namespace tridia::line_operator {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using R = real_of<V>;

/// Reads the factors of a chunk in shared memory.
template <int rows>
struct chunk_factors {
  const V* at;
  TRIDIA_FN V lower(int i) const { return at[i]; }
  TRIDIA_FN V inverse(int i) const { return at[rows + i]; }
  TRIDIA_FN V upper(int i) const { return at[2 * rows + i]; }
};

struct call {
  const V *values, *minus_products;
  const int *number, *sound;  // as in scan_tables
  bool cyclic;
  V closing_down, closing_back;
  const R* scales;  // of the rows of a line; null: 1
  R scale;
  line_statuses statuses;
  const V* prescribed;
  bool tells_solution;
  unsigned* tile_counter;
  bool awaits_sums;  // the prescribed right-hand sides, of the launch before
};

/// Names a chunk of a line of a round.
struct chunk_index {
  int line, number;
};
/// Returns the chunk of a thread: if lines are alone, each has one.
template <tile_kind Kind, bool Alone>
__device__ __forceinline__ chunk_index chunk_of(const scan_shape& s, int thread) {
  if constexpr (Alone) return {thread, 0};
  if constexpr (Kind == tile_kind::across) {
    return {thread & (s.lines - 1), thread >> s.log_lines};
  } else if constexpr (Kind == tile_kind::along) {
    return {thread / s.chunks, thread % s.chunks};
  }
  const int lanes = s.lanes(), group = thread / (s.chunks * lanes);
  return {group * lanes + (thread & (lanes - 1)), thread / lanes - group * s.chunks};
}

/// Brings the tables of a matrix to shared memory by asynchronous copies: loads would be waited for
/// one after another. To be called by the threads that have chunks; a barrier must follow.
template <int Rows, int Steps>
__device__ __forceinline__ void load_tables(const scan_memory<V>& m, const scan_shape& s,
                                            const call& c, int thread) {
  copy_array(m.factors, c.values, 3 * s.distinct * Rows, thread, s.threads);
  for (int i = thread; i < Steps * s.chunks; i += s.threads) {
    copy_element(m.products + i, c.minus_products + i);
    copy_element(m.products + Steps * s.chunks + i,
                 c.minus_products + most_scan_steps * s.chunks + i);
  }
  for (int i = thread; s.scaled && i < s.rows; i += s.threads) {
    copy_element(m.scales + i, c.scales + i);
  }
  for (int i = thread; i < s.lines * s.stages; i += s.threads) m.found[i] = INT_MAX;
  wait_for_copies();
  for (int i = thread; s.scaled && i < s.rows; i += s.threads) m.scales[i] = c.scale * m.scales[i];
}

/// Says that prescribed right-hand sides are in memory before the kernel begins.
struct given_ends {};
/// Returns the warps of a block that have no chunks.
template <class Ends>
constexpr int other_warps = std::is_same_v<Ends, border_exchange> ? 2 : 1;

/// Enters what is prescribed of a tile that threads load: rarely, so apart from what needs
/// registers.
template <tile_kind Kind>
__device__ __noinline__ void enter_given_apart(const tile_places<Kind>& place, int lines, V* tile,
                                               const kernel_stencil<R>& b, R scale, V* closure,
                                               int thread) {
  enter_given(place, lines, tile, place.s, b, scale, closure, thread, place.s.threads);
}

/// Solves the tiles of a block: the threads of whole warps have a chunk each; one more warp copies.
/// `Gathers`: B comes last, instead of first. `Ends`: border_exchange where yet another warp
/// computes the prescribed right-hand sides, with other ranks, or given_ends.
template <tile_kind Kind, int Width, int Rows, bool Gathers, class Ends>
__global__ void __maxnreg__(scan_registers(Kind, Rows, sizeof(V)))
    scan_kernel(const __grid_constant__ geometry g, const __grid_constant__ scan_arrays<V> arrays,
                const __grid_constant__ scan_shape s, const __grid_constant__ call c,
                const __grid_constant__ kernel_stencil<R> b,
                const __grid_constant__ Ends prescribing) {
  if (!c.awaits_sums) let_next_begin();
  constexpr bool interleaved = Kind != tile_kind::along;
  constexpr int rows = Rows, steps = scan_steps(interleaved);
  constexpr bool solves = Width == 1, begins_with_b = Width > 1 && !Gathers;
  // Lines of short chunks are one chunk each, of which nothing passes to others.
  constexpr bool alone = Rows == short_chunk;
  static_assert(solves || !alone);
  constexpr bool exchanges = std::is_same_v<Ends, border_exchange>;
  static_assert(!exchanges || begins_with_b);
  constexpr bool in_rounds = alone || Kind == tile_kind::phased;
  using chunk = core::recurrence_chunk<V, rows>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  const int closure = b.end_values();
  const scan_memory<V> m(s, closure, memory);
  const line_tile<V, Kind> tiles(g, arrays, s);
  const int thread = static_cast<int>(threadIdx.x);
  const bool loads_by_tma = arrays.input != line_copy_mode::elements;
  const bool stores_by_tma = arrays.output != line_copy_mode::elements;

  // This thread has the same chunk of every tile, and round.
  const auto [line, number] = chunk_of<Kind, alone>(s, thread);
  const bool alive = line < s.solved_lines && number < s.chunks;
  const chunk_position position{interleaved ? s.lanes() : 1, alive ? number : 0,
                                alive ? s.chunks : 1, s.threads};
  const int k0 = position.chunk * rows;
  const int numbered = c.number != nullptr ? c.number[position.chunk] : position.chunk;
  tile_queue queue(c.tile_counter);
  bool sound = true;
  if (thread < s.threads) {
    sound = may_solve(c.sound);
    if (sound) load_tables<rows, steps>(m, s, c, thread);
  } else if (thread < s.threads + warp_size) {
    start_stages(s, m, warp_size * other_warps<Ends>);
    load_first_tiles(tiles, s, m, queue, loads_by_tma);
  }
  __syncthreads();
  // The warp that copies also computes the ends of lines, unless lines are so short that these are
  // many: then all threads do.
  const bool many_ends = begins_with_b && !exchanges && c.prescribed == nullptr &&
                         s.rows < 12 * (c.cyclic ? s.before + s.after : closure);
  const bool has_given = Gathers && c.prescribed != nullptr;
  const bool prepared =
      (Gathers ? has_given : Width > 1 || closure > 0) && loads_by_tma && !many_ends;
  if (thread >= s.threads) {
    if (exchanges && thread >= s.threads + warp_size) {
      if constexpr (exchanges) exchange_ends(tiles, s, m, b, prescribing);
      return;
    }
    const index_t last =
        produce_tiles(tiles, s, m, b, queue,
                      {loads_by_tma, stores_by_tma, prepared, c.cyclic, Gathers, c.scale, solves,
                       c.statuses, c.tells_solution, c.prescribed, c.sound, c.awaits_sums});
    // The counter of tiles is cleared once no number of it is on its way.
    if constexpr (exchanges) {
      if (last >= s.tiles && thread == s.threads) end_round(prescribing.rounds, gridDim.x);
    }
    wait_for_launch_before();  // what comes after this launch waits for both
    return;
  }
  if (!sound) return;
  const chunk_factors<rows> factors{m.factors + 3 * rows * numbered};
  const V* const down_products = m.products + position.chunk;
  const V* const back_products = down_products + steps * s.chunks;
  const carry<V, false, steps> down(position, m.down, down_products, s.chunks);
  const carry<V, true, steps> back(position, m.back, back_products, s.chunks);
  meet_threads(s.threads);
  V through;
  // These return what comes in at this thread's chunk.
  const auto come_down = [&](V end) {
    if constexpr (alone) return through = end, V(0);
    return down.in(end, through);
  };
  const auto come_back = [&](V end) {
    if constexpr (alone) return through = end, V(0);
    return back.in(end, through);
  };
  V *const around_down = m.around + position.chunk, *const around_back = around_down + s.chunks;
  if (c.cyclic) {
    // This computes what comes in at each chunk if 1 comes in at the beginning of the line. It is
    // taken from one line: another, whose threads lie elsewhere in their warps, may round it
    // differently.
    const bool mine = alive && line == 0;
    const V a = come_down(down.begins() ? -*down_products : V(0));
    if (mine) *around_down = down.begins() ? V(1) : a;
    const V z = come_back(back.begins() ? -*back_products : V(0));
    if (mine) *around_back = back.begins() ? V(1) : z;
    meet_threads(s.threads);
  }
  // What leaves at a line's end comes in again at its beginning.
  const auto close = [&](int my_line, bool end, V in, V factor, const V* around) {
    if (!c.cyclic) return in;
    if constexpr (alone) return core::sub_mul(in, -*around, through * factor);
    if (alive && end) m.closing[my_line] = through;
    meet_threads(s.threads);
    return core::sub_mul(in, -*around, m.closing[my_line] * factor);
  };

  // Without the TMA, the threads load a tile, most often while they solve the one before.
  const auto stage_at = [&](int stage) { return m.tiles + stage * (s.stage_bytes / sizeof(V)); };
  const auto ends_at = [&](int stage) { return m.closure + stage * s.lines * closure; };
  const auto load_elements = [&](int stage) {
    const index_t tile = m.number[stage];
    if (tile >= s.tiles) return;
    if (closure > 0) {
      load_prescribed(tiles, tile, b, c.prescribed, ends_at(stage), thread, s.threads);
    }
    tiles.load(tile, stage_at(stage));
  };
  if (c.awaits_sums && !prepared) wait_for_launch_before();
  const bool loads_ahead = !loads_by_tma && s.stages > 1;
  if (loads_ahead) {
    tma::wait(m.arrived, 0);
    load_elements(0);
    end_copies();
  }

  int stage = 0, phase = 0;
  for (;;) {
    tma::wait(m.arrived + stage, static_cast<unsigned>(phase));
    const index_t tile = m.number[stage];
    if (tile >= s.tiles) break;
    V* const values = stage_at(stage);
    V* const ends = ends_at(stage);
    if (prepared) tma::wait(m.ready + stage, static_cast<unsigned>(phase));
    if (!loads_by_tma) {
      if (loads_ahead) {
        const int next = stage + 1 == s.stages ? 0 : stage + 1;
        tma::wait(m.arrived + next, static_cast<unsigned>(next == 0 ? phase ^ 1 : phase));
        load_elements(next);
        end_copies();
        wait_for_earlier_copies();
      } else {
        load_elements(stage);
        wait_for_copies();
      }
      meet_threads(s.threads);
    }
    const int* const behind = m.behind_of(s, stage, loads_by_tma);
    const auto place = tiles.places(tile, behind);
    if (has_given && !prepared) {
      enter_given_apart(place, tiles.count(tile), values, b, c.scale, ends, thread);
      meet_threads(s.threads);
    }
    if (begins_with_b && !prepared) {
      const int all = tiles.count(tile);
      for (int i = line; alive && i < all; i += s.round_lines) {
        prepare_line(place, i, number, s.chunks, values, s, b, c.cyclic, ends + i * closure);
      }
      meet_threads(s.threads);
    }
#pragma unroll 1
    for (int first = 0; first < (in_rounds ? s.lines : 1); first += s.round_lines) {
      const bool has = alive && (!in_rounds || first + line < s.lines);
      const int my_line = has ? first + line : 0, n = has ? min(rows, s.rows - k0) : 0;
      V* const my_ends = ends + my_line * closure;
      // No barrier follows in the round, so that lines must be touched by their own threads alone.
      if (alone && !has) continue;
      const bool within = alone && Kind == tile_kind::along && s.whole;
      chunk x;
      constexpr int width = begins_with_b ? Width : 1;
      read_rows<width>(values, place, my_line, k0, n, within, s.points, b, x.value);
      if constexpr (Gathers) {
        scale_rows(s.scaled ? m.scales + k0 : nullptr, c.scale, x.value);
        // There are no scales beyond the line, but whatever was there.
        keep_rows(n, x.value);
      }
      const bool mine_counts = solves && n > 0 && my_line < tiles.count(tile);
      const bool counts = mine_counts && c.statuses.first != nullptr;
      int* const found = m.found + stage * s.lines + my_line;
      if (counts && !x.finite()) find_row(x.value, k0, found, 0);
      if (!Gathers && closure > 0) read_ends(k0, n, s, b, my_ends, x.value);

      V in = come_down(x.down_end(factors));
      in = close(my_line, down.ends(position.chunks), in, c.closing_down, around_down);
      x.down(factors, in);
      in = come_back(x.back_end(factors));
      in = close(my_line, back.ends(position.chunks), in, c.closing_back, around_back);
      x.back(factors, in);

      if (counts && !x.finite()) find_row(x.value, k0, found, longest);
      // A value that is not finite in any row reaches the first one: checking that is enough if the
      // caller wants no status.
      if (mine_counts && c.statuses.first == nullptr && k0 == 0 && !core::is_finite(x.value[0]))
        *found = 0;
      if constexpr (begins_with_b) {
        scale_rows(s.scaled ? m.scales + k0 : nullptr, c.scale, x.value);
      }
      if constexpr (Gathers) {
        write_rows(values, place, my_line, k0, n, x.value);
        meet_threads(s.threads);
        if (has) prepare_line(place, my_line, number, s.chunks, values, s, b, c.cyclic, my_ends);
        meet_threads(s.threads);
        read_rows<Width>(values, place, my_line, k0, n, false, s.points, b, x.value);
        if (closure > 0) read_ends(k0, n, s, b, my_ends, x.value);
        meet_threads(s.threads);
      }
      if (Kind == tile_kind::phased || (interleaved && !stores_by_tma)) {
        tiles.store_rows(tile, my_line, k0, n, x.value);
      } else {
        write_rows(values, place, my_line, k0, n, x.value);
      }
    }
    if (loads_by_tma || stores_by_tma) tma::fence_proxy_async();
    if (!interleaved && !stores_by_tma) {
      meet_threads(s.threads);
      tiles.store(tile, values, behind);
    }
    tma::arrive(m.solved + stage);
    if (++stage == s.stages) stage = 0, phase ^= 1;
  }
}

}  // namespace
}  // namespace tridia::line_operator
