// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/onchip.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {
namespace {

using solver::task;

constexpr int warp = 32, banks = 32, sector = 32, most_threads = 512;
/// Bytes: what the bulk copy engine moves multiples of, and what is worth a copy of its own.
constexpr int bulk_granule = 16, shortest_line = 256;
constexpr int cache_line = 128;
/// What leaves room for three blocks on a multiprocessor.
constexpr std::size_t good_tile = std::size_t{68} << 10;
constexpr int most_blocks = 8, longest = 1 << 20;
/// Rows that give a warp enough to do.
constexpr int least_rows = 256;

constexpr int round_up(int a, int to) { return (a + to - 1) / to * to; }
constexpr int granule_elements(int size) { return bulk_granule / std::min(size, bulk_granule); }

/// Whether array `a` lies in one piece, system after system, with an entry in every row.
bool is_dense(const geometry& g, int a) {
  if (g.matrices.count > 1 || g.lines[a].step != 1 || g.lines[a].origin != 0) return false;
  if (!g.edges_readable && (a == layout::sub || a == layout::sup)) return false;
  return g.matrices.count == 0 || g.matrices.at[0].stride[a] == g.rows;
}
/// Whether every system's line in array `a` is one piece and begins as aligned as the array.
bool in_aligned_lines(const geometry& g, int a, int size) {
  if (g.lines[a].step != 1 || g.lines[a].origin != 0) return false;
  if (!g.edges_readable && (a == layout::sub || a == layout::sup)) return false;
  for (int k = 0; k < g.matrices.count; ++k) {
    if (g.matrices.at[k].stride[a] * size % bulk_granule != 0) return false;
  }
  return true;
}

/// How much longer than one access the lanes of a warp take that read neighbouring chunks, on
/// average over the accesses that the hardware makes of it.
double conflicts(int chunk_rows, int chunks, int systems_a_warp, int pitch, int size) {
  const int words = size / 4, lanes = warp / words, columns = banks / words;
  int worst = 0;
  for (int first = 0; first < warp; first += lanes) {
    int users[banks] = {};
    for (int lane = first; lane < first + lanes; ++lane) {
      const int system = lane / chunks, chunk = lane % chunks;
      if (system >= systems_a_warp) break;
      ++users[(system * pitch + chunk * chunk_rows) % columns];
    }
    worst += *std::max_element(users, users + banks);
  }
  return static_cast<double>(worst) / words;
}

/// How arrays move.
mover mover_of(const geometry& g, const onchip_shape& s, int size, int first, int last) {
  bool dense = true, lines = true;
  for (int a = first; a <= last; ++a) {
    dense = dense && is_dense(g, a);
    lines = lines && in_aligned_lines(g, a, size);
  }
  if (s.order == walk::systems) return mover::elements;
  if (dense && s.blocks == 1 && s.pitch == s.rows) return mover::pieces;
  return lines && s.block_rows * size >= shortest_line && s.pitch * size % bulk_granule == 0 &&
                 s.block_rows * size % bulk_granule == 0
             ? mover::lines
             : mover::elements;
}

/// Elements between systems in shared memory, so that lanes with neighbouring chunks, or systems,
/// touch different banks.
int pitch_of(const geometry& g, const onchip_shape& s, int size) {
  const int words = size / 4, rows = s.block_rows;
  if (s.order == walk::systems) {
    // A row of `systems` is written at once, `together` rows in one access.
    const int together = std::max(banks / (words * s.systems), 1);
    int pitch = rows;
    while (pitch % (banks / words) != together % (banks / words)) ++pitch;
    return pitch;
  }
  // One piece is moved fastest, if that costs no more than two accesses instead of one, or cannot
  // be moved in lines; what the bulk copy engine could move in lines is left so.
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

/// How well `chunk_rows` rows a thread use the lanes, if the systems lie as tightly as they can.
double use_of(onchip_shape s, int chunk_rows, int size) {
  cut(s, chunk_rows);
  const double lanes =
      static_cast<double>(s.block_rows) * s.systems_a_warp / (chunk_rows * warp * s.warps_a_system);
  const int pitch = s.block_rows * size % bulk_granule == 0 ? s.chunks * chunk_rows : s.block_rows;
  return lanes / (3 + conflicts(chunk_rows, s.chunks, s.systems_a_warp, pitch, size));
}

/// An odd number of rows a chunk, near `wanted`.
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

/// Rows a thread: more of them where a row takes less of the chip's memory, or where the interface
/// costs more; but no fewer chunks than blocks share a system.
int wanted_chunk(const task& t, const onchip_shape& s, int size) {
  const int wanted = size == 4 || t.pivoting == pivoting::partial ? 33 : 17;
  return s.blocks == 1 ? wanted : std::min(wanted, 3 * s.block_rows / (4 * s.blocks) - 1);
}

std::size_t tile_bytes(const onchip_shape& s, int size) {
  return std::size_t{4} * static_cast<std::size_t>(s.block_rows) *
         static_cast<std::size_t>(s.systems) * static_cast<std::size_t>(size);
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

/// Systems of a block whose neighbours in memory are other systems: as many as fill a line of the
/// cache, or fewer, down to a sector, if they are long.
void choose_systems(onchip_shape& s, int size, const onchip_tuning& tuning, bool clusters) {
  const int part = std::min(size, 8);
  for (s.systems = cache_line / part;; s.systems /= 2) {
    share_rows(s, size, tuning.blocks, clusters);
    if (tile_bytes(s, size) <= good_tile || s.systems <= sector / part) break;
  }
  // Short ones: as many as make a warp's work.
  while (s.systems * s.block_rows < least_rows && s.systems < most_threads / 2) s.systems *= 2;
}

}  // namespace

walk order_of(const geometry& g) {
  if (g.matrices.count == 0) return walk::rows;
  const layout::axis& fastest = g.matrices.at[g.matrices.count - 1];
  const auto size = [](index_t stride) { return stride < 0 ? -stride : stride; };
  return size(fastest.stride[layout::rhs]) < size(g.lines[layout::rhs].step) ? walk::systems
                                                                             : walk::rows;
}

void cut(onchip_shape& s, int chunk_rows) {
  s.chunk_rows = chunk_rows;
  s.chunks = (s.block_rows + chunk_rows - 1) / chunk_rows;
  s.systems_a_warp = std::max(warp / s.chunks, 1);
  s.warps_a_system = (s.chunks + warp - 1) / warp;
}

void fill_block(onchip_shape& s, int warps) {
  if (s.order == walk::rows) {
    s.systems = std::max(warps / s.warps_a_system, 1) * s.systems_a_warp;
  }
  const int filled = (s.systems + s.systems_a_warp - 1) / s.systems_a_warp * s.warps_a_system;
  s.threads = filled * warp;
}

bool lay_out(onchip_shape& s, const task& t, const onchip_tuning& tuning, int chunk_rows,
             const onchip_limits& limits) {
  const geometry& g = t.geometry;
  const int size = static_cast<int>(size_of(t.type));
  cut(s, tuning.chunk_rows > 0 ? tuning.chunk_rows : fit_chunk(s, chunk_rows, size));
  fill_block(s, tuning.warps);
  if (s.threads > most_threads || s.systems > 2 * s.threads) return false;
  s.pitch = pitch_of(g, s, size);
  s.array_pitch = round_up(s.systems * s.pitch, granule_elements(size));
  s.input = mover_of(g, s, size, layout::sub, layout::rhs);
  s.output = mover_of(g, s, size, layout::x, layout::x);
  s.dense_input = s.dense_output = s.order == walk::rows && s.blocks == 1;
  for (int a = layout::sub; a <= layout::rhs; ++a) s.dense_input = s.dense_input && is_dense(g, a);
  s.dense_output = s.dense_output && is_dense(g, layout::x);
  const auto rows = static_cast<std::uint64_t>(s.block_rows);
  s.per_rows = static_cast<unsigned>(((std::uint64_t{1} << 32) + rows - 1) / rows);
  const auto systems = static_cast<std::size_t>(s.systems), bytes = static_cast<std::size_t>(size);
  s.shared_bytes = 4 * static_cast<std::size_t>(s.array_pitch) * bytes +
                   systems * (layout::array_count * sizeof(index_t) + 2 * sizeof(int)) +
                   sizeof(std::uint64_t) +
                   (static_cast<std::size_t>(s.threads / warp) + systems) * 10 * bytes;
  return s.shared_bytes <= limits.shared_bytes;
}

std::optional<onchip_shape> plan_onchip(const task& t, const onchip_tuning& tuning,
                                        const onchip_limits& limits) {
  const geometry& g = t.geometry;
  if (!t.ragged.empty() || t.coefficients == coefficients::shared || g.right_sides.size != 1 ||
      g.rows < 2 || g.rows > longest) {
    return {};
  }
  const int size = static_cast<int>(size_of(t.type));
  onchip_shape s{};
  s.rows = g.rows;
  s.order = order_of(g);
  s.systems = 1;
  if (s.order == walk::systems) {
    choose_systems(s, size, tuning, limits.clusters);
  } else {
    share_rows(s, size, tuning.blocks, limits.clusters);
  }
  if (!lay_out(s, t, tuning, wanted_chunk(t, s, size), limits) || s.chunks < s.blocks) return {};
  return s;
}

}  // namespace tridia::cuda
