// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/interleaved.hpp"

#include <algorithm>
#include <bit>
#include <climits>

namespace tridia::cuda {
namespace {

using solver::task;

/// Bytes of neighbouring systems that memory gives fastest.
constexpr int good_access = 256;
/// Rows and systems that give a block enough to do, and blocks that do so for a device.
constexpr int enough_rows = 512, enough_blocks = 128, most_access = 1024;

/// Of the boxes that the copy engine moves: rows, and bytes at a multiple of which they lie.
constexpr int most_box = 256, box_alignment = 128;

int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }
int power_from(int a) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(a))); }

/// Everything that follows from how many systems, chunks and blocks there are.
interleaved_shape shape_of(const task& t, int systems, int chunks, int blocks, bool clusters) {
  const auto size = size_of(t.type);
  interleaved_shape s{};
  s.rows = static_cast<int>(t.geometry.rows);
  s.blocks = blocks;
  // Every box of several begins at a multiple of so many bytes.
  const int step = std::max(box_alignment / (systems * static_cast<int>(size)), 1);
  const int wanted = ceil_div(s.rows, blocks), pieces = ceil_div(wanted, most_box);
  s.box_rows = ceil_div(wanted, pieces);
  if (pieces > 1) s.box_rows = round_up(s.box_rows, step);
  s.block_rows = pieces * s.box_rows;
  s.chunk_rows = ceil_div(s.block_rows, chunks) | 1;
  s.systems = systems;
  s.log_systems = log2_of(systems);
  s.log_in_group = std::min(log2_of(std::max(warp_size / systems, 1)), log2_of(chunks));
  s.log_groups = log2_of(chunks) - s.log_in_group;
  s.groups = 1 << s.log_groups;
  s.log_lanes = std::max(s.log_groups, log2_of(blocks));
  // Two blocks that ask for the halves of a line of the cache at the same time get them faster.
  s.neighbours = clusters && blocks == 1 && systems * static_cast<int>(size) < cache_line ? 2 : 1;
  const layout::axes& m = t.geometry.matrices;
  s.across = static_cast<int>((m.at[m.count - 1].extent + systems - 1) / systems);
  s.boxes = clusters;
  s.array_pitch = round_up(s.block_rows * systems, box_alignment / static_cast<int>(size));
  const auto count = static_cast<std::size_t>(systems);
  const std::size_t exchanged = static_cast<std::size_t>(s.exchange_lanes()) * (count + 1) + count;
  s.shared_bytes =
      (4 * static_cast<std::size_t>(s.array_pitch) + equation_words(t.pivoting) * exchanged) *
          size +
      (layout::array_count + 1) * sizeof(index_t) + 2 * count * sizeof(int);
  return s;
}

/// Systems of a block that has `rows` rows of each: many for long accesses, or few, down to
/// `least`, to leave room for other blocks and to give every multiprocessor something to do.
int systems_for(const task& t, int rows, int least) {
  const auto size = static_cast<int>(size_of(t.type));
  const auto tile = [&](int systems) {
    return 4 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(systems * size);
  };
  int systems = good_access / size;
  while (systems * rows < enough_rows && systems * size < most_access) systems *= 2;
  const index_t side_by_side = t.geometry.matrices.at[t.geometry.matrices.count - 1].extent;
  while (systems > least &&
         (tile(systems) > good_tile ||
          (systems / 2 >= side_by_side && systems * rows >= 8 * warp_size) ||
          (systems > warp_size && t.geometry.matrices.size < index_t{systems} * enough_blocks))) {
    systems /= 2;
  }
  return systems;
}

/// Rows of a thread.
int chunk_rows_for(const task& t) {
  constexpr index_t bytes = 136;
  return static_cast<int>(
      std::min(filling_chunk(t), bytes / static_cast<index_t>(size_of(t.type))));
}

/// `outer`: points of all axes of the batch but the fastest.
bool is_sound(const interleaved_shape& s, index_t outer, std::size_t most_shared) {
  return s.threads() >= warp_size && s.threads() <= most_threads && s.groups <= warp_size &&
         s.systems << s.log_lanes <= s.threads() &&
         (index_t{s.across} * outer + 1) * s.blocks < most_grid &&
         (s.blocks - 1) * s.block_rows < s.rows && s.shared_bytes <= most_shared;
}

}  // namespace

std::optional<interleaved_shape> plan_interleaved(const task& t, const interleaved_tuning& tuning,
                                                  const chip_limits& limits) {
  const layout::geometry& g = t.geometry;
  if (!t.ragged.empty() || !layout::is_interleaved(g) || !has_own_coefficients(t) ||
      g.matrices.at[g.matrices.count - 1].extent > INT_MAX ||
      g.rows < (g.corners == layout::edge::absent ? 2 : 3) || g.rows > longest) {
    return {};
  }
  const int size = static_cast<int>(size_of(t.type)), rows = static_cast<int>(g.rows);
  const index_t outer =
      g.matrices.size / std::max<index_t>(g.matrices.at[g.matrices.count - 1].extent, 1);
  // First what fits well; then whatever fits.
  for (const bool well : {true, false}) {
    for (int blocks = 1; blocks <= (limits.clusters ? most_blocks : 1); blocks *= 2) {
      if (tuning.blocks > 0 && blocks != tuning.blocks) continue;
      const int block_rows = ceil_div(rows, blocks);
      const bool wide = well && blocks > 1 && blocks < most_blocks;
      const int least = std::max((wide ? 2 * sector : sector) / size, 1);
      const int systems = tuning.systems > 0 ? tuning.systems : systems_for(t, block_rows, least);
      const int wanted = power_from(ceil_div(block_rows, chunk_rows_for(t)));
      const int chunks =
          std::clamp(wanted, std::max(warp_size / systems, 1), std::max(most_threads / systems, 1));
      const interleaved_shape s = shape_of(t, systems, chunks, blocks, limits.clusters);
      const std::size_t tile = 4 * static_cast<std::size_t>(s.array_pitch) * size_of(t.type);
      if (is_sound(s, outer, limits.shared_bytes) &&
          (!well || tile <= good_tile || tuning.systems > 0))
        return s;
    }
  }
  return {};
}

}  // namespace tridia::cuda
