// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/tma.cuh"
#include "layout/line_status.hpp"
#include "line_operator/cuda/scan_memory.cuh"
#include "line_operator/cuda/scan_rows.cuh"
#include "line_operator/cuda/tile_queue.cuh"

namespace tridia::line_operator {

using namespace gpu;

/// Locates the statuses of lines.
struct line_statuses {
  index_t* first;  // null: they are not asked for
  layout::axes_of<1> lines;
  bool are_shared;

  __device__ __forceinline__ void enter(index_t line, index_t status) const {
    index_t at[1];
    lines.offsets(line, at);
    layout::enter_line_status(first + at[0], are_shared, status);
  }
};

/// Holds the parameters of the producer warp, which copies.
template <class V>
struct producer_task {
  bool loads_by_tma,
      stores_by_tma;  // by the TMA; if it does not ask, a stage is only said to be free
  bool prepares, cyclic;
  bool gathers;  // B comes last: of its results, those that are prescribed are times `scale`
  real_of<V> scale;
  bool solves;  // what is not finite is looked for, and x of such a line NaN
  const line_statuses& statuses;
  bool tells_solution;
  const V* prescribed;
  const int* sound;
  bool awaits_sums;
};

/// Returns whether a scan with the tables of the call is `sound`: see scan_tables. Where that is
/// found on the device, it waits for the launch before: that which makes the tables, or a
/// substitution. What the scan solves was there before that launch.
__device__ __forceinline__ bool may_solve(const int* sound) {
  if (sound == nullptr) return true;
  wait_for_launch_before();
  return *sound != 0;
}

/// Starts the mbarriers of all stages, a lane each. To be called by the producer warp; so many
/// threads say that the ends of a tile are `ready`.
template <class V>
__device__ __forceinline__ void start_stages(const scan_shape& s, const scan_memory<V>& m,
                                             unsigned ready) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (lane < 3 * s.stages) {
    const auto threads = static_cast<unsigned>(s.threads);
    tma::start(m.arrived + lane, lane < s.stages ? 1 : lane < 2 * s.stages ? ready : threads);
  }
  __syncwarp();
}

/// Returns how many tiles are loaded ahead of the one that is solved.
__device__ __forceinline__ int tiles_ahead(const scan_shape& s) { return max(s.stages - 1, 1); }

/// Begins to load the next tile into a stage, or says that the stage is free.
template <class V, tile_kind Kind>
__device__ __forceinline__ void load_next(const line_tile<V, Kind>& tiles, const scan_shape& s,
                                          const scan_memory<V>& m, tile_queue& queue, int stage,
                                          bool loads_by_tma) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const index_t tile = queue.take();
  if (lane == 0) m.number[stage] = tile;
  if (loads_by_tma && tile < s.tiles) {
    V* const to = m.tiles + stage * (s.stage_bytes / sizeof(V));
    tiles.load_async(tile, to, m.behind + stage * s.lines, m.arrived + stage);
  } else if (lane == 0) {
    tma::arrive(m.arrived + stage);
  }
  __syncwarp();
}

/// Begins to load the first tiles. To be called by the producer warp once it has started the
/// mbarriers; other threads need not have met it.
template <class V, tile_kind Kind>
__device__ __forceinline__ void load_first_tiles(const line_tile<V, Kind>& tiles,
                                                 const scan_shape& s, const scan_memory<V>& m,
                                                 tile_queue& queue, bool loads_by_tma) {
  for (int stage = 0; stage < tiles_ahead(s); ++stage)
    load_next(tiles, s, m, queue, stage, loads_by_tma);
}

/// Runs the producer warp once the first tiles are on their way: it loads more ahead, prepares the
/// ends of their lines while others are solved, and stores those that are solved. Returns the last
/// number that it has drawn, beyond all tiles, once this is there.
template <class V, tile_kind Kind>
__device__ __forceinline__ index_t produce_tiles(const line_tile<V, Kind>& tiles,
                                                 const scan_shape& s, const scan_memory<V>& m,
                                                 const kernel_stencil<real_of<V>>& b,
                                                 tile_queue& queue, const producer_task<V>& c) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto stage_at = [&](int stage) { return m.tiles + stage * (s.stage_bytes / sizeof(V)); };
  const int closure = s.lines * b.end_values(), ahead = tiles_ahead(s);
  if (!may_solve(c.sound)) {
    // Shared memory must not be given up while tiles arrive in it.
    for (int stage = 0; stage < ahead; ++stage) tma::wait(m.arrived + stage, 0);
    return s.tiles;
  }
  queue.prefetch();
  const auto load_ends = [&](int stage) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    load_prescribed(tiles, tile, b, c.prescribed, m.closure + stage * closure, lane, warp_size);
  };
  const auto prepare = [&](int stage, int phase) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    tma::wait(m.arrived + stage, static_cast<unsigned>(phase));
    const auto place = tiles.places(tile, m.behind_of(s, stage, c.loads_by_tma));
    const int lines = tiles.count(tile);
    V *const values = stage_at(stage), *const ends = m.closure + stage * closure;
    if (!c.gathers) prepare_lines(place, lines, values, s, b, c.cyclic, ends);
    wait_for_copies();
    if (c.gathers) enter_given(place, lines, values, s, b, c.scale, ends, lane, warp_size);
    tma::arrive(m.ready + stage);
  };
  if (c.awaits_sums) {
    wait_for_launch_before();
    let_next_begin();  // which needs the sums as well, but does not wait for them
  }
  for (int stage = 0; stage < ahead; ++stage) load_ends(stage);
  prepare(0, 0);
  int stage = 0, phase = 0;
  for (index_t tile; (tile = m.number[stage]) < s.tiles;) {
    const int next = stage + 1 == s.stages ? 0 : stage + 1;
    const auto go_on = [&](int free) {
      tma::wait_read();
      __syncwarp();
      load_next(tiles, s, m, queue, free, c.loads_by_tma);
      queue.prefetch();
      // Prescribed right-hand sides are waited for together: those of the next tile were loaded
      // long ago, unless there is no stage to load ahead into.
      if (ahead == 1) load_ends(free);
      prepare(next, next == 0 ? phase ^ 1 : phase);
      if (ahead > 1) load_ends(free);
    };
    // The stage of the tile before this one takes another tile while this one is solved.
    if (s.stages > 1) go_on(stage == 0 ? s.stages - 1 : stage - 1);
    tma::wait(m.solved + stage, static_cast<unsigned>(phase));
    if (c.stores_by_tma) {
      tiles.store_async(tile, stage_at(stage), m.behind + stage * s.lines);
      tma::commit();
    }
    int* const found = m.found + stage * s.lines;
    bool bad = false;
    for (int line = lane; c.solves && line < tiles.count(tile); line += warp_size) {
      const int row = found[line];
      bad = bad || row != INT_MAX;
      if (c.statuses.first == nullptr) continue;
      const int said = row < longest || c.tells_solution ? row : row - longest;
      const index_t status = row == INT_MAX ? 0 : -index_t{said} - 1;
      c.statuses.enter(tiles.number(tile, line), status);
    }
    if (c.solves && __any_sync(whole_warp, bad)) tiles.fill(tile, found);
    if (s.stages == 1) go_on(0);
    stage = next;
    if (stage == 0) phase ^= 1;
  }
  tma::wait_read();
  return queue.take();
}

}  // namespace tridia::line_operator
