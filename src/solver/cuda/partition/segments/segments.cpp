// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/segments/segments.hpp"

#include "layout/join_axes.hpp"
#include "solver/cuda/partition/boxes.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::task;

/// This is the maximum number of nodes per block above the rows.
constexpr index_t most_nodes = 512;

/// Returns the rows per thread: fewer where a row has several right-hand sides.
int chunk_of(const task& t, int sides) {
  const int rows = size_of(t.type) == 4 ? 33 : 17;
  return sides == 1 ? rows : rows * 2 / 3;
}

/// Returns the warps of a segment, in tiles that leave room for three or more blocks on a
/// multiprocessor: as measured for float and double on an H200, but some more if one level above
/// then suffices.
int choose_warps(const task& t, int sides) {
  const bool wide = size_of(t.type) == 8;
  const int good = !wide ? 1 : t.pivoting == pivoting::none ? 3 : 2, most = wide ? 4 : 2;
  for (int warps = good; warps <= most; ++warps) {
    if (t.geometry.rows <= most_nodes * warps * warp_size * chunk_of(t, sides)) return warps;
  }
  return good;
}

/// Describes tiles of neighbouring systems: how long a row and how large a tile may be, and how
/// much shared memory a block has at least, in bytes; and how many tiles beside each other take
/// turns.
struct neighbours_tile {
  int row_bytes = cache_line;
  std::size_t bytes = good_tile, least_shared = 0;
  int beside = 1;
};

/// Returns the tiles of rows that threads copy element by element, as measured on an H200 for 1025
/// to 262 145 rows. Copies wait in the first-level cache, for which two blocks of a multiprocessor
/// leave room (interleaved.hpp). Several right-hand sides want smaller tiles, and c64 that
/// may have to pivot those of others. Tiles beside each other share lines of the cache; but
/// segments of one right-hand side wait for those above and below, which must have begun.
neighbours_tile copied_tile(const task& t, int sides, const device_limits& limits) {
  constexpr std::size_t kib = 1024;
  constexpr int most_beside = 16, beside_of_sides = 64;
  if (sides > 1) return {.bytes = 56 * kib, .beside = beside_of_sides};
  neighbours_tile tile{.beside = std::clamp(limits.multiprocessors / 8, 1, most_beside)};
  if (limits.shared_bytes < 2 * most_pair) return tile;
  if (t.type == value_type::f32) {
    tile.row_bytes = 2 * sector, tile.bytes = 76 * kib, tile.least_shared = pair_with_cache;
  } else if (t.type != value_type::c64 || t.pivoting == pivoting::none) {
    tile.bytes = 84 * kib, tile.least_shared = 88 * kib;
  }
  return tile;
}

/// Returns whether long rows of neighbouring systems are copied element by element.
bool are_copied(const onchip_shape& s, const task& t) {
  return (s.apart || begins_anywhere(t)) && are_long_rows(t);
}

/// Chooses the rows of a segment: whole warps of chunks; or, where neighbours in memory are other
/// systems, as many rows as a tile holds of the systems that fill a cache line, or half of one.
/// Returns the shared memory that a block has at least.
std::size_t choose_segment(onchip_shape& s, const task& t, const device_limits& limits) {
  const int size = static_cast<int>(size_of(t.type));
  s.systems = 1;
  s.block_rows = choose_warps(t, s.sides) * warp_size * chunk_of(t, s.sides);
  if (!s.interleaved) return 0;
  const auto tile = are_copied(s, t) ? copied_tile(t, s.sides, limits) : neighbours_tile{};
  s.beside = tile.beside;
  s.systems = tile.row_bytes / std::min(size, 8);
  while (s.systems / 2 >= t.geometry.matrices.size) s.systems /= 2;
  s.block_rows = static_cast<int>(tile.bytes) / (inputs_of(s.sides) * size * s.systems);
  // Tiles of short lines are better three or more on a multiprocessor.
  return t.geometry.rows * 4 >= index_t{s.block_rows} * 3 ? tile.least_shared : 0;
}

/// Returns whether all right-hand sides begin at multiples of 16 bytes if the first one does.
bool begin_in_pieces(const side_groups& s, std::size_t size) {
  constexpr index_t piece = 16;
  const auto value = static_cast<index_t>(size);
  bool all = true;
  for (const index_t a : {s.rhs_step, s.x_step, s.rhs_begin, s.x_begin}) {
    all = all && a * value % piece == 0;
  }
  return all;
}

/// Returns the shape of segments that threads share as they do systems in memory order, whatever
/// their layout.
std::optional<onchip_shape> plan_line_segments(const task& t, const side_groups& groups, int sides,
                                               const segments_tuning& tuning,
                                               const device_limits& limits) {
  const geometry& g = t.geometry;
  onchip_shape s{};
  s.rows = g.rows;
  s.sides = sides;
  s.apart = !begin_in_pieces(groups, size_of(t.type));
  s.interleaved = layout::is_interleaved(g);
  const std::size_t least_shared = choose_segment(s, t, limits);
  s.block_rows = static_cast<int>(std::min<index_t>(s.block_rows, g.rows));
  constexpr index_t enough_to_forget = 128;
  if (sides == 1) {
    const index_t step = piece_of(size_of(t.type));
    s.block_rows = static_cast<int>(even_segments(g.rows, s.block_rows, enough_to_forget, step));
  }
  if (tuning.rows > 0) s.block_rows = static_cast<int>(std::min<index_t>(tuning.rows, g.rows));
  const index_t segments = (g.rows + s.block_rows - 1) / s.block_rows;
  if (segments > most_grid / g.matrices.size) return {};
  s.blocks = static_cast<int>(segments);
  if (!lay_out(s, t, {.chunk_rows = tuning.chunk_rows}, chunk_of(t, sides), limits) ||
      s.systems > s.threads) {
    return {};
  }
  s.shared_bytes = std::max(s.shared_bytes, least_shared);
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

/// Returns the shape for systems with `sides` right-hand sides each, which `t` locates by the first
/// ones. The problem has so many `lines`.
std::optional<segments_shape> plan_passes(const task& t, const side_groups& groups, int sides,
                                          index_t lines, const segments_tuning& tuning,
                                          const device_limits& limits) {
  const geometry& g = t.geometry;
  if (!t.ragged.empty() || !has_own_coefficients(t) || g.matrices.size == 0) return {};
  // The rows of a periodic system with fewer than three would have to be folded: neighbours
  // coincide.
  if (g.rows < 1 || (g.rows < 3 && g.corners != layout::edge::absent)) return {};
  segments_shape all{};
  all.sides = sides;
  if (layout::is_interleaved(g)) {
    const auto rows = plan_row_segments(t, sides, tuning.rows, tuning.chunk_rows, limits);
    // Without boxes, systems move as well where chunks of a system are with neighbouring lanes.
    all.in_boxes =
        rows && begin_in_pieces(groups, size_of(t.type)) && loads_boxes(g, *rows, size_of(t.type));
    if (all.in_boxes) all.of_rows = *rows;
  }
  if (!all.in_boxes) {
    const auto of_lines = plan_line_segments(t, groups, sides, tuning, limits);
    if (!of_lines) return {};
    all.of_lines = *of_lines;
  }
  const index_t segments = all.in_boxes ? all.of_rows.segments : all.of_lines.blocks;
  const std::size_t size = size_of(t.type);
  const index_t most = tuning.nodes > 0 ? tuning.nodes : choose_nodes(segments);
  places memory;
  all.system_states = memory.take(lines, sizeof(int));
  all.overflows = memory.take(lines, sizeof(index_t));
  all.found = memory.take(3, sizeof(int));
  const index_t in_rows = g.matrices.size * segments;
  // Blocks of many segments take longer to wait for a launch that has ended than its start took.
  // Clusters came with compute capability 9.0 as well.
  constexpr index_t most_in_chain = 12'000;
  all.in_chain = limits.clusters && in_rows <= most_in_chain;
  all.segment_states = memory.take(in_rows, sizeof(int));
  all.edges = memory.take(in_rows, 2 * size);
  all.borders = memory.take(sides == 1 ? in_rows : 0, border_values * size);
  for (index_t nodes = segments;; nodes = all.level[all.levels - 1].shape.blocks) {
    segments_level& level = all.level[all.levels++];
    level.shape = share_nodes(nodes, most);
    const index_t in_all = g.matrices.size * nodes;
    level.equations = memory.take(in_all, equation_values(t.pivoting, sides) * size);
    level.unknowns = memory.take(in_all, unknown_values(t.pivoting, sides) * size);
    if (level.shape.blocks == 1) break;
  }
  all.bytes = memory.end();
  return all;
}

/// Returns how many blocks' systems of one matrix follow each other; 1 where they are no whole part
/// of all.
int tiles_beside(const geometry& g, const onchip_shape& s) {
  index_t systems = 1;
  for (int k = g.matrices.count; k-- > 0; systems *= g.matrices.at[k].extent) {
    const auto& stride = g.matrices.at[k].stride;
    if (stride[layout::sub] != 0 || stride[layout::diag] != 0 || stride[layout::sup] != 0) break;
  }
  if (s.systems == 0) return 1;
  const index_t tiles = (g.matrices.size + s.systems - 1) / s.systems;
  const index_t beside = (systems + s.systems - 1) / s.systems;
  return beside <= INT_MAX && tiles % beside == 0 ? static_cast<int>(beside) : 1;
}

/// Adds an axis of right-hand sides to those of systems.
void add_axis(std::vector<layout::axis>& list, layout::axis a, index_t extent, index_t line_step) {
  a.extent = extent;
  a.stride[layout::sub] = a.stride[layout::diag] = a.stride[layout::sup] = 0;
  a.stride[layout::status] = line_step;
  if (extent > 1) list.push_back(a);
}

/// Names right-hand sides of an axis, from number `begin` on: `groups` systems have `valid` each.
struct side_range {
  index_t begin, groups;
  int valid;
};

/// Cuts axis `cut` of the right-hand sides: those of a system lie as far apart as possible, so that
/// those of neighbouring systems are neighbours.
side_groups group_sides(const geometry& g, int cut, const side_range& range) {
  const layout::axis& along = g.right_sides.at[cut];
  side_groups all{.first = g, .valid = range.valid};
  std::vector<layout::axis> list;
  index_t lines = 1;
  for (int k = g.right_sides.count; k-- > 0; lines *= g.right_sides.at[k].extent) {
    const bool is_cut = k == cut;
    const index_t extent = is_cut ? range.groups : g.right_sides.at[k].extent;
    add_axis(list, g.right_sides.at[k], extent, lines);
    if (!is_cut) continue;
    const index_t step = range.groups, begin = range.begin;
    all.rhs_step = step * along.stride[layout::rhs], all.x_step = step * along.stride[layout::x];
    all.line_step = step * lines;
    all.rhs_begin = begin * along.stride[layout::rhs];
    all.x_begin = begin * along.stride[layout::x];
    all.line_begin = begin * lines;
  }
  for (int k = g.matrices.count; k-- > 0; lines *= g.matrices.at[k].extent) {
    list.push_back(g.matrices.at[k]);
    list.back().stride[layout::status] = lines;
  }
  std::reverse(list.begin(), list.end());
  all.first.matrices = layout::sort_axes(std::move(list), [](const layout::axis& a) {
    return std::abs(a.stride[layout::rhs]) + std::abs(a.stride[layout::x]);
  });
  all.first.right_sides = {0, 1, {}};
  return all;
}

/// Cuts an axis of right-hand sides into whole groups of `sides`, and what is left. Where they are
/// neighbours, as many groups as possible come first whose sides begin at multiples of 16 bytes.
std::vector<side_range> cut_sides(const layout::axis& a, int sides, std::size_t size) {
  const bool beside = std::abs(a.stride[layout::rhs]) == 1;
  std::vector<side_range> all;
  index_t begin = 0;
  for (const index_t step : {beside ? piece_of(size) : 1, index_t{1}}) {
    const index_t groups = (a.extent - begin) / sides / step * step;
    if (groups == 0) continue;
    all.push_back({begin, groups, sides});
    begin += groups * sides;
  }
  if (begin < a.extent) all.push_back({begin, 1, static_cast<int>(a.extent - begin)});
  return all;
}

}  // namespace

std::optional<segments_shape> plan_segments(const task& t, const segments_tuning& tuning,
                                            const device_limits& limits) {
  return plan_passes(t, side_groups{t.geometry}, 1, t.geometry.matrices.size, tuning, limits);
}

std::optional<sides_shape> plan_sides(const task& t, const segments_tuning& tuning,
                                      const device_limits& limits) {
  const geometry& g = t.geometry;
  if (t.pivoting != pivoting::none || g.right_sides.size < 2 || g.matrices.size == 0) return {};
  const int sides = sides_together(size_of(t.type));
  int cut = 0;
  for (int k = 1; k < g.right_sides.count; ++k) {
    if (g.right_sides.at[k].extent > g.right_sides.at[cut].extent) cut = k;
  }
  sides_shape all{};
  for (const side_range& range : cut_sides(g.right_sides.at[cut], sides, size_of(t.type))) {
    task systems = t;
    systems.coefficients = coefficients::per_system;
    const side_groups groups = group_sides(g, cut, range);
    systems.geometry = groups.first;
    auto shape =
        plan_passes(systems, groups, sides, g.matrices.size * g.right_sides.size, tuning, limits);
    if (!shape) return {};
    const int of_one_matrix = tiles_beside(groups.first, shape->of_lines);
    if (of_one_matrix > 1) shape->of_lines.beside = of_one_matrix;
    all.parts[all.count++] = {groups, *shape};
    all.bytes = std::max(all.bytes, shape->bytes);
  }
  return all;
}

}  // namespace tridia::cuda
