// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/interleaved.hpp"

#include "solver/cuda/partition/boxes.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>
#include <vector>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::task;

/// Accesses to this many bytes of neighbouring systems are the fastest.
constexpr int good_access = 256;
/// A block has enough to do with `enough_bytes` of an array, in rows and systems, and a device with
/// `enough_blocks` blocks.
constexpr int enough_bytes = 4096, enough_blocks = 128, most_access = 1024;
/// Each thread should have this many bytes of the arrays: registers leave room for some 500 threads
/// on a multiprocessor, and memory is busy if each has this many bytes.
constexpr int enough_of_thread = 256;

/// A thread of a segment has this many bytes of an array, or less.
constexpr int segment_chunk_bytes = 136;

/// Boxes that the TMA moves have at most `most_box` rows, begin at multiples of `box_alignment`
/// bytes in shared memory and of `granule` bytes in device memory.
constexpr int most_box = 256, box_alignment = 128, granule = 16;

int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }
int power_from(int a) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(a))); }
int power_to(int a) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(a))); }

/// Computes everything that follows from how many systems, chunks and blocks there are. `in_group`:
/// 1, or all chunks of a system that a warp holds, which are solved there first.
interleaved_shape shape_of(const task& t, int systems, int chunks, int in_group, int blocks,
                           bool clusters, int sides = 1, bool one_matrix = false) {
  const auto size = size_of(t.type);
  interleaved_shape s{};
  s.sides = sides;
  s.rows = static_cast<int>(t.geometry.rows);
  s.blocks = blocks;
  s.segments = 1;
  // If there are several boxes, each begins at a multiple of `box_alignment` bytes.
  const int step = std::max(box_alignment / (systems * static_cast<int>(size)), 1);
  const int wanted = ceil_div(s.rows, blocks), boxes = ceil_div(wanted, most_box);
  s.box_rows = ceil_div(wanted, boxes);
  if (boxes > 1) s.box_rows = round_up(s.box_rows, step);
  s.block_rows = boxes * s.box_rows;
  s.chunk_rows = ceil_div(s.block_rows, chunks) | 1;
  s.systems = systems;
  s.log_systems = log2_of(systems);
  s.log_in_group = log2_of(in_group);
  s.log_groups = log2_of(chunks) - s.log_in_group;
  s.groups = 1 << s.log_groups;
  s.log_lanes = std::max(s.log_groups, log2_of(power_from(blocks)));
  while (chunks == 1 && can_take_rounds(size) &&
         4 * s.rows * static_cast<int>(size) << s.log_rounds < enough_of_thread &&
         s.threads() > warp_size) {
    ++s.log_rounds;
  }
  // Two blocks that load the halves of a cache line at the same time get them faster.
  s.neighbours = clusters && blocks == 1 && systems * static_cast<int>(size) < cache_line ? 2 : 1;
  const layout::axes& m = t.geometry.matrices;
  const index_t fastest = m.at[m.count - 1].extent;
  s.axis_tiles = static_cast<int>((fastest + systems - 1) / systems);
  s.by_axis_tiles = fast_divide(std::max(s.axis_tiles, 1)),
  s.by_chunk_rows = fast_divide(s.chunk_rows);
  const index_t tiles = m.size / std::max<index_t>(fastest, 1) * s.axis_tiles;
  s.schedule = {static_cast<int>(std::min(tiles, most_grid))};
  const int row_bytes = systems * static_cast<int>(size);
  s.order = order_of(t.geometry, tiles, std::max(cache_line / row_bytes, 1));
  s.boxes = clusters;
  const auto pitch_for = [&](int of_row) {
    return round_up(s.block_rows * of_row, box_alignment / static_cast<int>(size));
  };
  s.array_pitch = pitch_for(systems);
  s.matrix_systems = one_matrix ? 1 : systems;
  s.matrix_pitch = pitch_for(s.matrix_systems);
  const auto count = static_cast<std::size_t>(systems);
  const auto together = static_cast<std::size_t>(blocks);
  const std::size_t exchanged = static_cast<std::size_t>(s.groups) * (count + 1) + count * together;
  const int arrays = inputs_of(sides) + sides + 1;
  s.shared_bytes =
      (static_cast<std::size_t>(s.tile_elements()) +
       equation_values(t.pivoting, sides) * exchanged) *
          size +
      static_cast<std::size_t>(arrays + 1 + exchange_barriers(blocks)) * sizeof(index_t) +
      (blocks > 1 ? 2 + together : 2) * count * sizeof(int);
  return s;
}

/// Returns the number of systems of a block that has `rows` rows of each: many for long accesses,
/// or few, down to `least`, to leave room for other blocks and to give every multiprocessor
/// something to do.
int systems_for(const task& t, int rows, int least) {
  const auto size = static_cast<int>(size_of(t.type));
  const auto tile = [&](int systems) {
    return 4 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(systems * size);
  };
  int systems = good_access / size;
  while (systems * rows * std::min(size, 8) < enough_bytes && systems * size < most_access) {
    systems *= 2;
  }
  const index_t neighbours = t.geometry.matrices.at[t.geometry.matrices.count - 1].extent;
  while (least / 2 >= neighbours && least * size > sector) least /= 2;
  while (systems > least &&
         (tile(systems) > good_tile ||
          (systems / 2 >= neighbours && systems * rows >= 8 * warp_size) ||
          (systems > warp_size && t.geometry.matrices.size < index_t{systems} * enough_blocks))) {
    systems /= 2;
  }
  return systems;
}

/// Returns the rows of a thread: more of them where the interface costs more, to a point.
int chunk_rows_for(const task& t, int blocks) {
  constexpr index_t bytes = 136, most = 34;
  index_t rows = bytes / static_cast<index_t>(size_of(t.type));
  if (t.pivoting == pivoting::partial && blocks > 1) rows = std::min(2 * rows, most);
  return static_cast<int>(std::min(filling_chunk(t), rows));
}

interleaved_shape shape_for(const task& t, const interleaved_tuning& tuning, int blocks,
                            int least_bytes, const device_limits& limits) {
  const int rows = ceil_div(static_cast<int>(t.geometry.rows), blocks);
  const int least = std::max(least_bytes / static_cast<int>(size_of(t.type)), 1);
  const int systems = tuning.systems > 0 ? tuning.systems : systems_for(t, rows, least);
  const int wanted = power_from(ceil_div(rows, chunk_rows_for(t, blocks)));
  const int lanes = std::max(warp_size / systems, power_from(blocks));
  const int most = power_to(most_threads_of(t.pivoting) / systems);
  const int chunks = std::clamp(wanted, lanes, std::max(most, lanes));
  // Solving all chunks at once is faster, but their equations take room.
  const int in_a_warp = std::min(std::max(warp_size / systems, 1), chunks);
  const auto s = shape_of(t, systems, chunks, 1, blocks, limits.clusters);
  if (s.groups <= warp_size && s.shared_bytes <= crowded) return s;
  return shape_of(t, systems, chunks, in_a_warp, blocks, limits.clusters);
}

/// Returns whether the systems of a block have one copy of a matrix: the lanes of a warp that have
/// the same rows of all of them eliminate it together.
bool has_one_matrix(const layout::geometry& g, int sides, int systems) {
  bool all = sides > 1 && systems <= warp_size;
  for (const auto a : {layout::sub, layout::diag, layout::sup}) all = all && is_shared(g, a);
  return all;
}

/// Returns the shape of a segment that has about so many rows.
interleaved_shape segment_shape(const task& t, int sides, int systems, int rows, int chunk_rows,
                                const device_limits& limits) {
  task segment = t;
  segment.geometry.rows = std::clamp<index_t>(rows, 1, t.geometry.rows);
  const int wanted = power_from(ceil_div(static_cast<int>(segment.geometry.rows), chunk_rows));
  const int least = std::max(warp_size / systems, 1);
  const int most = std::max(power_to(most_threads_of(t.pivoting) / systems), least);
  const int chunks = std::clamp(wanted, least, most);
  const bool one_matrix = has_one_matrix(t.geometry, sides, systems);
  const auto s = shape_of(segment, systems, chunks, 1, 1, limits.clusters, sides, one_matrix);
  if (s.groups <= warp_size) return s;
  return shape_of(segment, systems, chunks, least, 1, limits.clusters, sides, one_matrix);
}

bool is_sound(const interleaved_shape& s, int most_threads, std::size_t most_shared) {
  return s.threads() >= warp_size && s.threads() <= most_threads && s.groups <= warp_size &&
         s.systems << s.log_lanes <= s.threads() << s.log_rounds &&
         (index_t{s.schedule.tiles} + 1) * s.blocks < most_grid &&
         (s.blocks - 1) * s.block_rows < s.rows && s.shared_bytes <= most_shared;
}

/// Returns whether several blocks fit a multiprocessor.
bool leaves_room(const interleaved_shape& s, const task& t) {
  return 4 * static_cast<std::size_t>(s.array_pitch) * size_of(t.type) <= good_tile &&
         (s.blocks == 1 || s.shared_bytes <= crowded);
}

/// Describes the shapes to look for: rows of at least so many bytes, few blocks, and at least so
/// many bytes of shared memory for a block.
struct preference {
  int least_bytes, least_blocks, most_blocks;
  bool roomy;
  std::size_t least_shared = 0;
};

/// Tiles of less than this many bytes are better three or more at a time than two.
constexpr std::size_t least_pair = std::size_t{64} << 10;

/// Tiles of two blocks that share their systems are as well left without room for the cache if they
/// are as small as these; rows of a cache line want more of it.
constexpr std::size_t small_of_two = std::size_t{57} << 10,
                      small_with_long_rows = std::size_t{51} << 10;

/// Rows of a cache line touch fewer sectors in vain than those of half a line. They are chosen
/// where tiles are that much larger with them, and no system has to be solved once more with
/// interchanges (H200, 129 to 4097 rows).
constexpr std::size_t much_larger = std::size_t{4} << 10;

/// Describes tiles of which a block holds `bytes`, where `blocks` share a system.
struct shared_tile {
  int row_bytes, blocks;
  std::size_t bytes;
};

shared_tile tile_of_pair(const task& t, int row_bytes) {
  const auto rows = static_cast<std::size_t>(t.geometry.rows);
  const std::size_t all = 4 * rows * static_cast<std::size_t>(row_bytes);
  const std::size_t blocks = (all + most_pair - 1) / most_pair;
  return {row_bytes, static_cast<int>(blocks), all / blocks};
}

/// Returns how many blocks may share a system: more would take longer than segments do. Those that
/// have to pivot wait for each other twice, with c64 for too long.
int most_sharing(const task& t, const device_limits& limits) {
  constexpr int most = 6;
  const bool long_waits = t.pivoting == pivoting::partial && t.type == value_type::c64;
  return limits.clusters && !long_waits ? std::min(most, limits.cluster_blocks) : 1;
}

/// Returns the shape of two blocks of a multiprocessor whose rows begin anywhere, if there is one.
std::optional<preference> in_pairs(const task& t, const device_limits& limits) {
  if (limits.shared_bytes < 2 * most_pair) return {};
  const shared_tile half = tile_of_pair(t, 2 * sector), whole = tile_of_pair(t, cache_line);
  if (whole.blocks == 1 && whole.bytes < least_pair) return {};
  const auto are_two = [&](const shared_tile& tile, std::size_t most_bytes) {
    return limits.clusters && tile.blocks == 2 && tile.bytes <= most_bytes;
  };
  const int most = most_sharing(t, limits);
  const bool longer = t.pivoting == pivoting::none && whole.bytes > half.bytes + much_larger;
  const struct {
    shared_tile tile;
    bool suits;
    std::size_t least_shared;
  } candidates[] = {{whole, are_two(whole, small_with_long_rows), 0},
                    {half, are_two(half, small_of_two), 0},
                    {whole, whole.blocks <= (longer ? most : 1), pair_with_cache},
                    {half, half.blocks <= most, pair_with_cache}};
  for (const auto& [tile, suits, least_shared] : candidates) {
    if (suits) return preference{tile.row_bytes, tile.blocks, tile.blocks, false, least_shared};
  }
  return {};
}

/// Returns whether rows begin anywhere, are long enough, and of enough systems to fill a device
/// with blocks.
bool are_many_anywhere(const task& t) {
  return begins_anywhere(t) && are_long_rows(t) &&
         t.geometry.matrices.size >= index_t{cache_line} / 8 * enough_blocks;
}

/// Adds what suits rows that begin anywhere, which threads move and which touch a sector more: long
/// ones are faster. Systems that have to pivot are solved once more, f64 by one block with all of
/// the shared memory rather than by blocks that share a system.
void add_anywhere(std::vector<preference>& all, const task& t, const device_limits& limits) {
  const bool pivots = t.pivoting == pivoting::partial;
  const bool wide = pivots && t.type == value_type::f64;
  const std::optional<preference> pair = in_pairs(t, limits);
  const bool first = pair && (!wide || pair->least_blocks == 1 || pair->least_bytes == cache_line);
  if (first) all.push_back(*pair);
  if (wide) {
    all.push_back({cache_line, 1, 1, false});
    all.push_back({2 * sector, 1, 1, false});
  } else if (pivots && t.type == value_type::f32 && limits.clusters) {
    all.push_back({cache_line, 1, 2, true});
  }
  if (pair && !first) all.push_back(*pair);
  if (!pair && !pivots && limits.clusters) {
    all.push_back({cache_line, 1, most_blocks, true});
    all.push_back({2 * sector, 1, most_blocks, true});
  }
}

/// Lists preferences that weigh long accesses against blocks that wait for each other, as measured
/// on an H200: 128 bytes and four blocks are as fast as 64 and one, 64 and eight faster than 32 and
/// four.
std::vector<preference> preferences(const task& t, const interleaved_tuning& tuning,
                                    const device_limits& limits) {
  const int most = limits.clusters ? limits.cluster_blocks : 1;
  if (tuning.blocks > 0 || tuning.systems > 0) {
    const int blocks = tuning.blocks;
    return {{sector, std::max(blocks, 1), blocks > 0 ? std::min(blocks, most) : most, false}};
  }
  std::vector<preference> all;
  // Waiting for other blocks takes longer than short accesses where these are few.
  if (are_few(t, limits)) all.push_back({sector, 1, 1, false});
  // Rows near each other share pages of memory, and may be shorter. Blocks that share a system and
  // have to pivot wait for each other twice; with 16 bytes an element there is more to do between
  // accesses, and their length counts for less.
  const layout::along& line = t.geometry.lines[layout::rhs];
  constexpr index_t near = index_t{1} << 16;
  const bool are_near = std::abs(line.step) * static_cast<index_t>(size_of(t.type)) <= near;
  if (are_many_anywhere(t)) add_anywhere(all, t, limits);
  if (t.pivoting == pivoting::partial || t.type == value_type::c128) {
    all.push_back({sector, 1, 1, true});
  }
  if (are_near) all.push_back({2 * sector, 1, 1, true});
  if (limits.clusters) {
    all.push_back({cache_line, 1, 4, true});
    all.push_back({2 * sector, 1, most_blocks, true});
  }
  all.push_back({sector, 1, most, true});
  all.push_back({sector, 1, most, false});
  return all;
}

}  // namespace

bool begins_anywhere(const task& t) {
  const index_t step = t.geometry.lines[layout::rhs].step;
  return step * static_cast<index_t>(size_of(t.type)) % granule != 0;
}

bool are_long_rows(const task& t) {
  const layout::axes& m = t.geometry.matrices;
  return m.at[m.count - 1].extent * static_cast<index_t>(size_of(t.type)) >= 2 * sector;
}

bool are_few(const task& t, const device_limits& limits) {
  const index_t in_sector = sector / static_cast<index_t>(size_of(t.type));
  const layout::axes& batch = t.geometry.matrices;
  const index_t beside =
      batch.count > 0 ? std::max<index_t>(batch.at[batch.count - 1].extent, 1) : 1;
  const index_t blocks = batch.size / beside * ((beside + in_sector - 1) / in_sector);
  return 2 * blocks >= limits.multiprocessors && blocks <= index_t{2} * limits.multiprocessors;
}

bool waits_long(const interleaved_shape& s, const task& t) {
  if (s.blocks == 1) return false;
  // Pairs do not, but tiles with short rows that begin anywhere are slower than segments.
  if (are_many_anywhere(t)) return s.systems * static_cast<int>(size_of(t.type)) < 2 * sector;
  return s.shared_bytes > crowded;
}

std::optional<interleaved_shape> plan_interleaved(const task& t, const interleaved_tuning& tuning,
                                                  const device_limits& limits) {
  const layout::geometry& g = t.geometry;
  if (!t.ragged.empty() || !layout::is_interleaved(g) || !has_own_coefficients(t) ||
      g.matrices.at[g.matrices.count - 1].extent > INT_MAX ||
      g.rows < (g.corners == layout::edge::absent ? 2 : 3) || g.rows > longest) {
    return {};
  }
  for (const preference& p : preferences(t, tuning, limits)) {
    for (int blocks = p.least_blocks; blocks <= p.most_blocks; ++blocks) {
      interleaved_shape s = shape_for(t, tuning, blocks, p.least_bytes, limits);
      s.shared_bytes = std::max(s.shared_bytes, p.least_shared);
      if (is_sound(s, most_threads_of(t.pivoting), limits.shared_bytes) &&
          (!p.roomy || leaves_room(s, t)))
        return s;
    }
  }
  return {};
}

index_t even_segments(index_t rows, index_t most, index_t least, index_t step) {
  for (index_t k = most; k >= most - most / 4 && k > 0 && k < rows; k -= step) {
    if (rows % k == 0 || rows % k >= least) return k;
  }
  return std::min(rows, most);
}

std::optional<interleaved_shape> plan_row_segments(const task& t, int sides, int rows,
                                                   int chunk_rows, const device_limits& limits) {
  const layout::geometry& g = t.geometry;
  const index_t beside = g.matrices.at[g.matrices.count - 1].extent;
  if (g.rows > INT_MAX || beside > INT_MAX) return {};
  const auto size = static_cast<int>(size_of(t.type));
  int systems = cache_line / size;
  while (systems / 2 >= beside) systems /= 2;
  if (chunk_rows == 0) chunk_rows = segment_chunk_bytes / size;
  interleaved_shape s = segment_shape(t, sides, systems, rows, chunk_rows, limits);
  if (rows == 0) {
    // Three blocks are on a multiprocessor.
    const int matrices = has_one_matrix(g, sides, systems) ? 1 : systems;
    rows = static_cast<int>(good_tile) / (size * (layout::rhs * matrices + sides * systems));
    do {
      if (sides == 1) rows = static_cast<int>(even_segments(g.rows, rows, rows * 3 / 4, 1));
      s = segment_shape(t, sides, systems, rows, chunk_rows, limits);
      rows -= ceil_div(rows, 16);
    } while (s.shared_bytes > crowded && rows > 1);
  }
  const index_t segments = (g.rows + s.block_rows - 1) / s.block_rows;
  const index_t tiles = g.matrices.size / beside * s.axis_tiles;
  if (segments > most_grid / tiles ||
      !is_sound(s, most_threads_of(t.pivoting), limits.shared_bytes)) {
    return {};
  }
  s.rows = static_cast<int>(g.rows);
  s.segments = static_cast<int>(segments);
  s.neighbours = 1;
  // Segments of one right-hand side wait for those with the next rows, which must have begun.
  const index_t most = sides == 1 ? std::max(limits.multiprocessors / 2, 1) : tiles;
  s.beside = static_cast<int>(
      std::min({s.axis_tiles * layout::outer_right_sides(g), index_t{tiles}, most}));
  return s;
}

bool may_persist(const interleaved_shape& s, const task& t) {
  const auto size = size_of(t.type);
  const bool long_access = s.systems * static_cast<int>(size) >= 2 * sector;
  return s.blocks > 1 && s.boxes && long_access && can_persist(t.pivoting, size);
}

}  // namespace tridia::cuda
