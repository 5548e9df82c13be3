// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/bulk.cuh"
#include "layout/line_status.hpp"
#include "line_operator/cuda/scan_memory.cuh"
#include "line_operator/cuda/scan_rows.cuh"
#include "line_operator/cuda/tile_queue.cuh"

namespace tridia::cuda {

/// What the warp that copies goes by.
template <class V>
struct copying {
  bool asks, gives;  // by the copy engine; if it does not ask, a stage is only said to be free
  bool prepares, cyclic;
  bool solves;  // what is not finite is looked for, and x of such a line NaN
  index_t* status;
  bool shares_status;  // among lines
  bool tells_solution;
  const V* given;
  unsigned* tickets;
};

/// The warp that copies: asks for tiles ahead, prepares the ends of their lines while others are
/// solved, and gives back those that are.
template <class V>
__device__ __forceinline__ void copy_tiles(const line_tile<V>& tiles, const scan_shape& s,
                                           const scan_memory<V>& m, const stencil<real_of<V>>& b,
                                           const copying<V>& c) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto stage_at = [&](int stage) { return m.tiles + stage * (s.stage_bytes / sizeof(V)); };
  tile_queue queue(c.tickets);
  const auto ask = [&](int stage) {
    const index_t tile = queue.take();
    if (lane == 0) m.number[stage] = tile;
    if (c.asks && tile < s.tiles) {
      tiles.ask(tile, stage_at(stage), m.arrived + stage);
    } else if (lane == 0) {
      bulk::arrive(m.arrived + stage);
    }
    queue.draw_ahead();
    __syncwarp();
  };
  const int closure = s.lines * (b.heads + b.tails), ahead = max(s.stages - 1, 1);
  for (int stage = 0; stage < ahead; ++stage) ask(stage);
  const auto ask_ends = [&](int stage) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    ask_given(tiles, tile, b, c.given, m.closure + stage * closure, lane, warp_size);
  };
  const auto prepare = [&](int stage, int phase) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    bulk::wait(m.arrived + stage, static_cast<unsigned>(phase));
    prepare_ends(tiles, tile, stage_at(stage), s, b, c.cyclic, m.closure + stage * closure, lane,
                 warp_size);
    wait_for_copies();
    bulk::arrive(m.ready + stage);
  };
  for (int stage = 0; stage < ahead; ++stage) ask_ends(stage);
  prepare(0, 0);
  int stage = 0, phase = 0;
  for (index_t tile; (tile = m.number[stage]) < s.tiles;) {
    const int next = stage + 1 == s.stages ? 0 : stage + 1;
    const auto go_on = [&](int free) {
      bulk::wait_read();
      __syncwarp();
      ask(free);
      // What is given is waited for together: that of the next tile has been asked for long ago,
      // unless there is no room to look ahead.
      if (ahead == 1) ask_ends(free);
      prepare(next, next == 0 ? phase ^ 1 : phase);
      if (ahead > 1) ask_ends(free);
    };
    // The tile before this one leaves its stage to another while this one is solved.
    if (s.stages > 1) go_on(stage == 0 ? s.stages - 1 : stage - 1);
    bulk::wait(m.solved + stage, static_cast<unsigned>(phase));
    if (c.gives) {
      tiles.give(tile, stage_at(stage));
      bulk::commit();
    }
    int* const found = m.found + stage * s.lines;
    bool bad = false;
    for (int line = lane; c.solves && line < tiles.count(tile); line += warp_size) {
      const int row = found[line];
      bad = bad || row != INT_MAX;
      if (c.status == nullptr) continue;
      const int said = row < longest || c.tells_solution ? row : row - longest;
      const index_t status = row == INT_MAX ? 0 : -index_t{said} - 1;
      layout::enter_line_status(c.status + tiles.status_of(tiles.number(tile, line)),
                                c.shares_status, status);
    }
    if (c.solves && __any_sync(whole_warp, bad)) tiles.fill(tile, found);
    if (s.stages == 1) go_on(0);
    stage = next;
    if (stage == 0) phase ^= 1;
  }
  bulk::wait_read();
}

}  // namespace tridia::cuda
