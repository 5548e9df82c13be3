// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/onchip.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::task;

constexpr int banks = 32;
/// These are bytes: the TMA moves multiples of `tma_granule`, a line from `shortest_line` on is
/// worth a copy of its own, and systems that take less than `good_line` each are better moved as a
/// box.
constexpr int tma_granule = 16, shortest_line = 256, good_line = 512;

constexpr int granule_elements(int size) { return tma_granule / std::min(size, tma_granule); }

/// Returns whether array `a` lies in one piece, system after system, with an entry in every row.
bool is_dense(const geometry& g, int a) {
  if (g.matrices.count > 1 || g.lines[a].step != 1 || g.lines[a].origin != 0) return false;
  if (!g.edges_readable && (a == layout::sub || a == layout::sup)) return false;
  return g.matrices.count == 0 || g.matrices.at[0].stride[a] == g.rows;
}
/// Returns whether every system's line in array `a` is one piece and begins as aligned as the
/// array.
bool in_aligned_lines(const geometry& g, int a, int size) {
  if (g.lines[a].step != 1 || g.lines[a].origin != 0) return false;
  if (!g.edges_readable && (a == layout::sub || a == layout::sup)) return false;
  for (int k = 0; k < g.matrices.count; ++k) {
    if (g.matrices.at[k].stride[a] * size % tma_granule != 0) return false;
  }
  return true;
}

/// Returns how much longer than one access the lanes of a warp take that read neighbouring chunks,
/// on average over the accesses that the hardware makes of it.
double conflicts(int chunk_rows, int chunks, int systems_a_warp, int pitch, int size) {
  const int values = size / 4, lanes = warp_size / values, columns = banks / values;
  int worst = 0;
  for (int first = 0; first < warp_size; first += lanes) {
    int users[banks] = {};
    for (int lane = first; lane < first + lanes; ++lane) {
      const int system = lane / chunks, chunk = lane % chunks;
      if (system >= systems_a_warp) break;
      ++users[(system * pitch + chunk * chunk_rows) % columns];
    }
    worst += *std::max_element(users, users + banks);
  }
  return static_cast<double>(worst) / values;
}

/// Returns how arrays are moved.
copy_mode copy_mode_of(const geometry& g, const onchip_shape& s, int size, int first, int last) {
  bool dense = true, lines = true;
  for (int a = first; a <= last; ++a) {
    dense = dense && is_dense(g, a);
    lines = lines && in_aligned_lines(g, a, size);
  }
  if (dense && s.blocks == 1 && s.pitch == s.rows) return copy_mode::contiguous;
  return lines && s.block_rows * size >= shortest_line && s.pitch * size % tma_granule == 0 &&
                 s.block_rows * size % tma_granule == 0
             ? copy_mode::lines
             : copy_mode::elements;
}

/// Returns whether systems that are not moved as lines are long enough, and have real values, to be
/// moved in pieces.
bool are_in_pieces(const task& t, const onchip_shape& s, const device_limits& limits) {
  constexpr int shortest_pieces = 1024;
  const geometry& g = t.geometry;
  const auto size = static_cast<int>(size_of(t.type));
  bool all = limits.clusters && !s.interleaved && s.input == copy_mode::elements &&
             (t.type == value_type::f32 || t.type == value_type::f64) && s.systems_a_warp == 1 &&
             s.block_rows * size >= shortest_pieces;
  for (int a = layout::sub; a <= layout::x; ++a) all = all && g.lines[a].step == 1;
  return all;
}

/// Returns the elements between systems in shared memory, chosen so that lanes with neighbouring
/// chunks touch different banks.
int pitch_of(const geometry& g, const onchip_shape& s, int size) {
  const int rows = s.block_rows;
  if (s.interleaved) {
    // A row of the systems is written at once, `together` rows in one access.
    const int columns = banks * 4 / size, together = std::max(columns / s.systems, 1);
    int pitch = rows;
    while (pitch % columns != together % columns) ++pitch;
    return pitch;
  }
  // A single piece is moved fastest; it is chosen if it costs no more than two accesses instead of
  // one, or if the TMA cannot move the systems line by line.
  const auto cost = [&](int pitch) {
    return conflicts(s.chunk_rows, s.chunks, s.systems_a_warp, pitch, size);
  };
  const int step = granule_elements(size);
  const bool lines = rows % step == 0 && rows * size >= shortest_line;
  const bool piece = s.blocks == 1 && is_dense(g, layout::rhs);
  if (piece && (cost(rows) <= 2 || rows % step != 0)) return rows;
  int best_pitch = rows;
  double best = 0;
  for (int pitch = rows; pitch < rows + banks; ++pitch) {
    if (lines && pitch % step != 0) continue;
    const double c = cost(pitch) + 0.25 * (pitch - rows) / rows;
    if (best == 0 || c < best - 1e-9) best = c, best_pitch = pitch;
  }
  return best_pitch;
}

/// Returns how well `chunk_rows` rows a thread use the lanes, if the systems lie as tightly as they
/// can.
double use_of(onchip_shape s, int chunk_rows, int size) {
  cut(s, chunk_rows);
  const double lanes = static_cast<double>(s.block_rows) * s.systems_a_warp /
                       (chunk_rows * warp_size * s.warps_a_system);
  const int pitch = s.block_rows * size % tma_granule == 0 ? s.chunks * chunk_rows : s.block_rows;
  return lanes / (3 + conflicts(chunk_rows, s.chunks, s.systems_a_warp, pitch, size));
}

/// Returns an odd number of rows per chunk, near `wanted`.
int fit_chunk(const onchip_shape& s, int wanted, int size) {
  if (s.block_rows <= wanted) return s.block_rows | 1;
  int best = wanted | 1;
  double best_use = 0;
  for (int r = wanted * 2 / 3 | 1; r <= wanted + wanted / 3; r += 2) {
    const double use = use_of(s, r, size);
    if (use > best_use) best = r, best_use = use;
  }
  return best;
}

/// Returns the wanted rows per thread: more of them where a row takes less of the chip's memory, or
/// where the interface costs more.
int whole_chunk(const task& t, int size) {
  return size == 4 || t.pivoting == pivoting::partial ? 33 : 17;
}
/// Returns `whole_chunk`, or fewer rows, so that there are no fewer chunks than blocks that share a
/// system, and that a warp does not wait for many systems where there are few rows in all: for the
/// copies of lines by the TMA, or for those of all its lanes.
int wanted_chunk(const task& t, const onchip_shape& s, int size) {
  constexpr index_t few_rows = index_t{1} << 22;
  constexpr int many_lines = 8;
  int wanted = whole_chunk(t, size);
  const int line = s.block_rows * size;
  const bool in_lines = line >= shortest_line && line % tma_granule == 0;
  const int many_systems = in_lines ? many_lines : warp_size,
            systems = warp_size / ceil_div(s.block_rows, fit_chunk(s, wanted, size));
  const bool one_by_one = !is_dense(t.geometry, layout::diag) && solver::total_rows(t) < few_rows;
  if (one_by_one && systems >= many_systems) wanted /= 2;
  return s.blocks == 1 ? wanted : std::min(wanted, 3 * s.block_rows / (4 * s.blocks) - 1);
}

std::size_t tile_bytes(const onchip_shape& s, int size) {
  return static_cast<std::size_t>(inputs_of(s.sides)) * static_cast<std::size_t>(s.block_rows) *
         static_cast<std::size_t>(s.systems) * static_cast<std::size_t>(size);
}

/// Returns the bytes of shared memory of a block: the arrays, mbarriers (of copies, and of what
/// other blocks send), equations, statuses, and `places`, the bytes that say where the systems lie.
std::size_t shared_bytes_of(const onchip_shape& s, int size, std::size_t places) {
  const auto systems = static_cast<std::size_t>(s.systems), bytes = static_cast<std::size_t>(size);
  const auto blocks = static_cast<std::size_t>(s.cluster);
  const auto barriers = static_cast<std::size_t>(1 + exchange_barriers(s.cluster));
  return static_cast<std::size_t>(inputs_of(s.sides) * s.array_pitch) * bytes +
         barriers * sizeof(std::uint64_t) +
         (static_cast<std::size_t>(s.threads / warp_size) + systems * blocks) *
             equation_values(pivoting::partial, s.sides) * bytes +
         (2 * systems + static_cast<std::size_t>(s.received_statuses())) * sizeof(int) + places;
}

/// Shares the rows of a system out among as many blocks as leave room for several on a
/// multiprocessor, or as there may be.
void share_rows(onchip_shape& s, int size, int blocks, bool clusters) {
  const int rows = static_cast<int>(s.rows);
  s.blocks = 1;
  s.block_rows = rows;
  const auto enough = [&] {
    return blocks > 0 ? s.blocks >= blocks : tile_bytes(s, size) <= good_tile;
  };
  while (!enough() && clusters && s.blocks < most_blocks && rows / (2 * s.blocks) >= 64) {
    s.blocks *= 2;
    const int step = granule_elements(size);
    s.block_rows = round_up((rows + s.blocks - 1) / s.blocks, step);
  }
}

/// Returns whether the systems follow each other in every array, so that they are one with nothing
/// between them.
bool may_concatenate(const task& t) {
  const geometry& g = t.geometry;
  if (g.corners != layout::edge::absent || g.matrices.count != 1) return false;
  if (t.ragged != t.off_diagonal || g.concatenated == t.ragged.empty()) return false;
  // With n - 1 entries per system, only one of the two off-diagonals is shifted, or they are
  // shifted the other way.
  if (g.lines[layout::sub].origin + g.lines[layout::sup].origin != 0) return false;
  for (int a = layout::sub; a <= layout::x; ++a) {
    if (g.lines[a].step != 1) return false;
    if (t.ragged.empty() && g.matrices.at[0].stride[a] != g.rows) return false;
  }
  return true;
}

/// Returns the rows that fit into `bytes` of shared memory.
int rows_in(std::size_t bytes, int size) { return static_cast<int>(bytes / 4) / size; }

/// Holds the number of systems in a group, and of the warps that solve it.
struct group_size {
  int systems, warps;
};

/// Sizes a group of systems of one length: a thread has about the `wanted` rows, in as few warps as
/// possible.
group_size uniform_group(int rows, int wanted, int size) {
  const int enough = rows / (warp_size * wanted) + 2;
  for (int warps = 1;; ++warps) {
    int systems = (4 * warps * warp_size * wanted + rows) / (4 * rows);
    systems = std::max(std::min(systems, rows_in(good_tile, size) / rows), 1);
    const int chunk = (systems * rows + warps * warp_size - 1) / (warps * warp_size);
    const bool good = 10 * chunk >= 7 * wanted && 10 * chunk <= 12 * wanted;
    if (good || warps == enough) return {systems, warps};
  }
}

/// Sizes a group of systems of different lengths: it has room for three of the longest or two, so
/// that little is left unused, if a multiprocessor holds several such groups.
group_size ragged_group(int rows, int wanted, int size) {
  const auto warps = [&](int n) { return (n + warp_size * wanted - 1) / (warp_size * wanted); };
  int longest_ones = 3;
  while (longest_ones > 1 &&
         warps(longest_ones * rows) * warp_size * wanted > rows_in(good_tile, size))
    --longest_ones;
  const int room = warps(longest_ones * rows);
  // Systems of fewer than four rows do not fill the group: their number is limited.
  return {room * warp_size * wanted / 4, room};
}

/// Returns the rows per thread of a group: fewer where rows take much memory, so that there are
/// enough threads, and where groups differ in size. A block has threads for three of the longest
/// systems, if it cannot be several blocks instead.
int concatenated_chunk(const task& t, int size) {
  const int whole = whole_chunk(t, size);
  index_t filling = filling_chunk(t);
  if (!t.ragged.empty()) {
    const int longest_ones = 3 * static_cast<int>(t.geometry.rows);
    filling = std::max<index_t>(filling, ceil_div(longest_ones, most_threads_of(t.pivoting)));
  }
  if (filling < whole) return static_cast<int>(filling) | 1;
  if (size == 16) return whole / 2 | 1;
  return t.ragged.empty() || t.pivoting == pivoting::partial ? whole : std::min(whole, 25);
}

/// Returns whether groups of one size leave more than a third of a multiprocessor's shared memory
/// unused, while a cluster of blocks would not.
bool wastes_memory(const onchip_shape& s, const device_limits& limits) {
  return limits.clusters && 2 * s.shared_bytes > limits.shared_bytes &&
         3 * s.shared_bytes < 2 * limits.shared_bytes;
}

/// Returns the shape of concatenated systems, if that is better than solving them one by one.
std::optional<onchip_shape> plan_concatenated(const task& t, const onchip_tuning& tuning,
                                              const device_limits& limits) {
  const geometry& g = t.geometry;
  const bool ragged = !t.ragged.empty();
  const int size = static_cast<int>(size_of(t.type));
  if (g.rows < 1 || g.rows > longest || !may_concatenate(t)) return {};

  const int rows = static_cast<int>(g.rows);
  const int wanted = tuning.chunk_rows > 0 ? tuning.chunk_rows : concatenated_chunk(t, size);
  group_size p = ragged ? ragged_group(rows, wanted, size) : uniform_group(rows, wanted, size);
  if (tuning.warps > 0) {
    p.warps = tuning.warps;
    p.systems = p.warps * warp_size * wanted / (ragged ? 4 : rows);
  }
  if (p.systems == 0 || p.warps * warp_size > most_threads_of(t.pivoting)) return {};
  onchip_shape s{};
  s.concatenated = true;
  s.blocks = s.systems = 1;
  s.concatenated_systems = p.systems;
  s.rows = s.block_rows = ragged ? p.warps * warp_size * wanted : p.systems * rows;
  if (s.rows < rows) return {};
  s.group_count = (g.matrices.size + p.systems - 1) / p.systems;
  cut(s, (s.block_rows + p.warps * warp_size - 1) / (p.warps * warp_size) | 1);
  s.threads = s.warps_a_system * warp_size;
  // Groups of different sizes cut their rows into as many chunks as there are threads.
  if (ragged) s.chunks = s.threads;
  // Rows that are a system's length apart belong to different systems.
  if (!ragged) s.reach = ceil_div(rows, s.chunk_rows);
  // The first row lies as far after the start of a cache line as it does in device memory.
  s.pitch = s.array_pitch = round_up(s.block_rows + cache_line / size - 1, cache_line / size);
  s.shared_bytes = shared_bytes_of(s, size, ragged ? (p.systems + 1) * sizeof(int) : 0);
  if (s.shared_bytes > limits.shared_bytes || s.group_count > most_grid) return {};
  if (!ragged && wastes_memory(s, limits)) return {};
  return s;
}

/// Returns whether many systems have one matrix, of which the first-level cache holds all rows
/// beside the most shared memory: what every block reads again would come from a few lines of the
/// second-level cache otherwise, one access after another. A few blocks wait longer for that one.
bool has_cached_matrix(const task& t) {
  constexpr index_t most_bytes = index_t{12} << 10, many = 2048;
  const geometry& g = t.geometry;
  bool one = g.matrices.size >= many;
  for (int k = 0; k < g.matrices.count; ++k) {
    for (int a = layout::sub; a <= layout::sup; ++a) one = one && g.matrices.at[k].stride[a] == 0;
  }
  return one && layout::rhs * g.rows * static_cast<index_t>(size_of(t.type)) <= most_bytes;
}

/// Returns the rows per thread: those of the tuning, or about as many as `wanted`.
int choose_chunk(const onchip_tuning& tuning, const onchip_shape& s, int wanted, int size) {
  if (tuning.chunk_rows == 0) return fit_chunk(s, wanted, size);
  if (tuning.near) return fit_chunk(s, tuning.chunk_rows, size);
  return std::min(tuning.chunk_rows, s.block_rows | 1);
}

}  // namespace

void cut(onchip_shape& s, int chunk_rows) {
  s.chunk_rows = chunk_rows;
  s.chunks = (s.block_rows + chunk_rows - 1) / chunk_rows;
  s.systems_a_warp = std::max(warp_size / s.chunks, 1);
  s.warps_a_system = (s.chunks + warp_size - 1) / warp_size;
  s.by_chunk_rows = fast_divide(chunk_rows), s.by_chunks = fast_divide(s.chunks);
  s.by_warps_a_system = fast_divide(s.warps_a_system);
}

void fill_block(onchip_shape& s, int warps) {
  if (!s.interleaved) s.systems = std::max(warps / s.warps_a_system, 1) * s.systems_a_warp;
  const int filled = (s.systems + s.systems_a_warp - 1) / s.systems_a_warp * s.warps_a_system;
  s.threads = filled * warp_size;
}

bool lay_out(onchip_shape& s, const task& t, const onchip_tuning& tuning, int chunk_rows,
             const device_limits& limits) {
  const geometry& g = t.geometry;
  const int size = static_cast<int>(size_of(t.type));
  cut(s, choose_chunk(tuning, s, chunk_rows, size));
  fill_block(s, tuning.warps);
  if (s.threads > most_threads_of(t.pivoting)) return false;
  s.pitch = pitch_of(g, s, size);
  s.input = copy_mode_of(g, s, size, layout::sub, layout::rhs);
  s.output = copy_mode_of(g, s, size, layout::x, layout::x);
  // The TMA takes what follows each other only in whole multiples of 16 bytes.
  const bool whole = index_t{s.systems} * s.block_rows * size % tma_granule == 0;
  if (s.apart || (s.input == copy_mode::contiguous && !whole)) {
    s.input = s.output = copy_mode::elements;
  }
  const bool in_pieces = are_in_pieces(t, s, limits);
  if (in_pieces) {
    s.input = s.output = copy_mode::pieces;
    s.pitch = round_up(s.pitch, granule_elements(size)) + granule_elements(size);
  }
  // The TMA is faster if data lie relative to cache lines as they do in device memory.
  s.array_pitch = round_up(s.systems * s.pitch, cache_line / size);
  s.dense_input = s.dense_output = s.blocks == 1 && !s.interleaved && !in_pieces;
  for (int a = layout::sub; a <= layout::rhs; ++a) s.dense_input = s.dense_input && is_dense(g, a);
  s.dense_output = s.dense_output && is_dense(g, layout::x);
  const auto rows = static_cast<std::uint64_t>(s.block_rows);
  s.per_rows = static_cast<unsigned>(((std::uint64_t{1} << 32) + rows - 1) / rows);
  const int arrays = inputs_of(s.sides) + s.sides + 1;
  s.shared_bytes =
      shared_bytes_of(s, size, static_cast<std::size_t>(s.systems * arrays) * sizeof(index_t));
  return s.shared_bytes <= limits.shared_bytes;
}

std::vector<group_start> cut_groups(const std::vector<index_t>& offsets, const onchip_shape& s) {
  std::vector<group_start> group_starts{{0, offsets[0]}};
  const auto systems = static_cast<index_t>(offsets.size()) - 1;
  for (index_t k = 0; k < systems; ++k) {
    const group_start& last = group_starts.back();
    const bool room = offsets[static_cast<std::size_t>(k) + 1] - last.row <= s.rows &&
                      k - last.system < s.concatenated_systems;
    if (!room) group_starts.push_back({k, offsets[static_cast<std::size_t>(k)]});
  }
  group_starts.push_back({systems, offsets.back()});
  return group_starts;
}

std::optional<onchip_shape> plan_onchip(const task& t, const onchip_tuning& tuning,
                                        const device_limits& limits) {
  const geometry& g = t.geometry;
  if (!has_own_coefficients(t)) return {};
  if (t.ragged.empty() && layout::is_interleaved(g)) return {};
  if (auto concatenated = plan_concatenated(t, tuning, limits)) return concatenated;
  if (!t.ragged.empty() || g.rows < 2 || g.rows > longest) return {};
  const int size = static_cast<int>(size_of(t.type));
  onchip_shape s{};
  s.rows = g.rows;
  s.systems = 1;
  share_rows(s, size, tuning.blocks, limits.clusters);
  s.cluster = s.blocks;
  if (!lay_out(s, t, tuning, wanted_chunk(t, s, size), limits) || s.chunks < s.blocks) return {};
  s.one_matrix = s.blocks == 1 && has_cached_matrix(t);
  s.boxes = limits.clusters && s.blocks == 1 && s.input == copy_mode::lines &&
            s.block_rows * size < good_line;
  if ((g.matrices.size / s.systems + 1) * s.blocks > most_grid) return {};
  s.order = order_of(g, (g.matrices.size + s.systems - 1) / s.systems, 1);
  return s;
}

}  // namespace tridia::cuda
