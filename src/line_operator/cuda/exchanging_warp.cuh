// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/border_sums.cuh"
#include "line_operator/cuda/scan_memory.cuh"

namespace tridia::line_operator {

using namespace gpu;

/// Goes through the stages of a block, around and around.
struct stage_cursor {
  int stage = 0;
  unsigned phase = 0;
  int tiles = 0;  // that it has passed

  __device__ __forceinline__ void advance(int stages) {
    ++tiles;
    if (++stage == stages) stage = 0, phase ^= 1;
  }
};

/// Runs the warp that computes the prescribed right-hand sides of a block's tiles with other ranks:
/// it sends their shares as soon as they have arrived in shared memory, and adds those of other
/// ranks as soon as these come.
///
/// Nobody waits in vain. Each block takes its tiles in the order of their numbers, which is that of
/// the lines on every rank, and sends them before it waits for any. So the first tile that is not
/// solved on any rank has been taken wherever lines of it are (or its block still begins, as all
/// tiles before are solved), and lacks nothing but shares of lines that others take next.
template <class V, tile_kind Kind>
__device__ __forceinline__ void exchange_ends(const line_tile<V, Kind>& tiles, const scan_shape& s,
                                              const scan_memory<V>& m, const kernel_stencil<V>& b,
                                              const border_exchange& e) {
  border_sums<V, Kind> sums(e, tiles, s, b);
  const auto ends = [&](int stage) { return m.closure + stage * s.lines * (b.heads + b.tails); };
  stage_cursor sending, receiving;
  for (bool any_left = true; any_left || receiving.tiles < sending.tiles;) {
    const bool has_arrived =
        any_left && __all_sync(whole_warp, tma::test(m.arrived + sending.stage, sending.phase));
    // What comes from other ranks is on its way from device memory meanwhile.
    const bool looks = receiving.tiles < sending.tiles;
    if (looks) sums.look(m.number[receiving.stage]);
    if (has_arrived) {
      const int stage = sending.stage;
      const index_t tile = m.number[stage];
      any_left = tile < s.tiles;
      if (any_left) {
        const auto place = tiles.places(tile, m.behind_of(s, stage, true));
        sums.send(tile, place, m.tiles + stage * (s.stage_bytes / sizeof(V)), ends(stage));
        sending.advance(s.stages);
      }
    }
    if (looks && sums.take(ends(receiving.stage))) {
      tma::arrive(m.ready + receiving.stage);
      receiving.advance(s.stages);
    }
  }
}

}  // namespace tridia::line_operator
