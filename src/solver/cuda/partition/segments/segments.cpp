// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/segments/segments.hpp"

#include "solver/cuda/partition/boxes.hpp"

#include <algorithm>
#include <limits>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::task;

/// These are the maximum number of nodes per block above the rows, and the warps that such a block
/// has for short systems.
constexpr index_t most_nodes = 512;
constexpr int level_warps = 4;

/// Returns the rows per thread.
int chunk_of(const task& t) { return size_of(t.type) == 4 ? 33 : 17; }

/// Returns the warps of a segment, in tiles that leave room for three or more blocks on a
/// multiprocessor: as measured for float and double on an H200, but some more if one level above
/// then suffices.
int choose_warps(const task& t) {
  const bool wide = size_of(t.type) == 8;
  const int good = !wide ? 1 : t.pivoting == pivoting::none ? 3 : 2, most = wide ? 4 : 2;
  for (int warps = good; warps <= most; ++warps) {
    if (t.geometry.rows <= most_nodes * warps * warp_size * chunk_of(t)) return warps;
  }
  return good;
}

/// Chooses the rows of a segment: whole warps of chunks; or, where neighbours in memory are other
/// systems, as many rows as a tile holds of the systems that fill a cache line.
void choose_segment(onchip_shape& s, const task& t) {
  const int size = static_cast<int>(size_of(t.type));
  s.systems = 1;
  s.block_rows = choose_warps(t) * warp_size * chunk_of(t);
  if (!s.interleaved) return;
  s.systems = cache_line / std::min(size, 8);
  while (s.systems / 2 >= t.geometry.matrices.size) s.systems /= 2;
  s.block_rows = static_cast<int>(good_tile) / (layout::geometry::inputs * size * s.systems);
}

/// Returns the shape of segments that threads share as they do systems in memory order, whatever
/// their layout.
std::optional<onchip_shape> plan_line_segments(const task& t, const segments_tuning& tuning,
                                               const device_limits& limits) {
  const geometry& g = t.geometry;
  onchip_shape s{};
  s.rows = g.rows;
  s.interleaved = layout::is_interleaved(g);
  choose_segment(s, t);
  if (tuning.rows > 0) s.block_rows = tuning.rows;
  s.block_rows = static_cast<int>(std::min<index_t>(s.block_rows, g.rows));
  const index_t segments = (g.rows + s.block_rows - 1) / s.block_rows;
  if (segments > most_grid / g.matrices.size) return {};
  s.blocks = static_cast<int>(segments);
  if (!lay_out(s, t, {.chunk_rows = tuning.chunk_rows}, chunk_of(t), limits) ||
      s.systems > s.threads) {
    return {};
  }
  return s;
}

/// Returns the nodes per block above `segments`: as few as suffice, the same in every level, for
/// the smallest possible number of levels.
index_t choose_nodes(index_t segments) {
  const auto reaches = [&](index_t nodes, int levels) {
    index_t all = 1;
    while (levels-- > 0 && all < segments) all *= nodes;
    return all >= segments;
  };
  int levels = 1;
  while (!reaches(most_nodes, levels)) ++levels;
  index_t nodes = warp_size;
  while (!reaches(nodes, levels)) nodes += warp_size;
  return nodes;
}

/// Shares the `nodes` of a system out among blocks.
onchip_shape share_nodes(index_t nodes, index_t most) {
  onchip_shape s{};
  s.rows = nodes;
  s.blocks = static_cast<int>((nodes + most - 1) / most);
  s.block_rows = static_cast<int>((nodes + s.blocks - 1) / s.blocks);
  cut(s, 1);
  fill_block(s, level_warps);
  return s;
}

/// Assigns places in a workspace.
class places {
 public:
  std::size_t take(index_t count, std::size_t bytes) {
    const std::size_t at = end_;
    end_ += solver::round_up(static_cast<std::size_t>(count) * bytes);
    return at;
  }
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  std::size_t end_ = 0;
};

}  // namespace

std::optional<segments_shape> plan_segments(const task& t, const segments_tuning& tuning,
                                            const device_limits& limits) {
  const geometry& g = t.geometry;
  if (!t.ragged.empty() || !has_own_coefficients(t) || g.matrices.size == 0) return {};
  // The rows of a periodic system with fewer than three would have to be folded: neighbours
  // coincide.
  if (g.rows < 1 || (g.rows < 3 && g.corners != layout::edge::absent)) return {};
  segments_shape all{};
  if (layout::is_interleaved(g)) {
    const auto rows = plan_row_segments(t, tuning.rows, tuning.chunk_rows, limits);
    // Without boxes, systems move as well where chunks of a system are with neighbouring lanes.
    all.in_boxes = rows && loads_boxes(g, *rows, size_of(t.type));
    if (all.in_boxes) all.of_rows = *rows;
  }
  if (!all.in_boxes) {
    const auto lines = plan_line_segments(t, tuning, limits);
    if (!lines) return {};
    all.of_lines = *lines;
  }
  const index_t segments = all.in_boxes ? all.of_rows.segments : all.of_lines.blocks;
  const std::size_t size = size_of(t.type);
  const bool pivots = t.pivoting == pivoting::partial;
  const index_t most = tuning.nodes > 0 ? tuning.nodes : choose_nodes(segments);
  places memory;
  all.system_states = memory.take(g.matrices.size, sizeof(int));
  all.edges = memory.take(g.matrices.size * segments, 2 * size);
  for (index_t nodes = segments;; nodes = all.level[all.levels - 1].shape.blocks) {
    segments_level& level = all.level[all.levels++];
    level.shape = share_nodes(nodes, most);
    level.equations = memory.take(g.matrices.size * nodes, equation_values(t.pivoting) * size);
    level.unknowns = memory.take(g.matrices.size * nodes, (pivots ? 4 : 3) * size);
    level.unstable = memory.take(pivots ? g.matrices.size * nodes : 0, sizeof(int));
    if (level.shape.blocks == 1) break;
  }
  all.bytes = memory.end();
  return all;
}

}  // namespace tridia::cuda
