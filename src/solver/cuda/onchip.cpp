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

constexpr int round_up(int a, int to) { return (a + to - 1) / to * to; }

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
  return g.rows * size % bulk_granule == 0;
}

walk order_of(const geometry& g) {
  if (g.matrices.count == 0) return walk::rows;
  const layout::axis& fastest = g.matrices.at[g.matrices.count - 1];
  const auto size = [](index_t stride) { return stride < 0 ? -stride : stride; };
  return size(fastest.stride[layout::rhs]) < size(g.lines[layout::rhs].step) ? walk::systems
                                                                               : walk::rows;
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

void cut(onchip_shape& s, int chunk_rows) {
  s.chunk_rows = chunk_rows;
  s.chunks = (s.rows + chunk_rows - 1) / chunk_rows;
  s.systems_a_warp = std::max(warp / s.chunks, 1);
  s.warps_a_system = (s.chunks + warp - 1) / warp;
}

/// Systems of a block of at least `warps` warps.
void fill_block(onchip_shape& s, int warps, int size) {
  s.systems = std::max(warps / s.warps_a_system, 1) * s.systems_a_warp;
  if (s.order == walk::systems) {
    // Whole sectors of memory a row.
    const int least = std::max(s.systems, sector / std::min(size, 8));
    s.systems = static_cast<int>(std::bit_ceil(static_cast<unsigned>(least)));
  }
  const int filled = (s.systems + s.systems_a_warp - 1) / s.systems_a_warp * s.warps_a_system;
  s.threads = filled * warp;
}

/// How arrays move, given the systems of a block.
mover mover_of(const geometry& g, const onchip_shape& s, int size, int first, int last) {
  bool dense = true, lines = true;
  for (int a = first; a <= last; ++a) {
    dense = dense && is_dense(g, a);
    lines = lines && in_aligned_lines(g, a, size);
  }
  // The last block may have fewer systems.
  const bool whole = s.systems * s.rows * size % bulk_granule == 0 &&
                     g.matrices.size % s.systems * s.rows * size % bulk_granule == 0;
  if (dense && whole && s.pitch == s.rows) return mover::pieces;
  return lines && s.rows * size >= shortest_line && s.pitch * size % bulk_granule == 0
             ? mover::lines
             : mover::elements;
}

/// Elements between systems in shared memory, so that lanes with neighbouring chunks, or systems,
/// touch different banks.
void place_systems(const geometry& g, onchip_shape& s, int size) {
  const int words = size / 4;
  const int step = bulk_granule / std::min(size, bulk_granule);
  s.pitch = s.rows;
  if (s.order == walk::systems) {
    // A row of `systems` is written at once, `together` rows in one access.
    const int together = std::max(banks / (words * s.systems), 1);
    while (s.pitch % (banks / words) != together % (banks / words)) ++s.pitch;
  } else {
    double best = 0;
    for (int pitch = s.rows; pitch < s.rows + banks; ++pitch) {
      // Rows that the bulk copy engine could move are left so.
      if (s.rows % step == 0 && s.rows * size >= shortest_line && pitch % step != 0) continue;
      const double c = conflicts(s.chunk_rows, s.chunks, s.systems_a_warp, pitch, size) +
                       0.25 * (pitch - s.rows) / s.rows;
      if (best == 0 || c < best - 1e-9) best = c, s.pitch = pitch;
    }
  }
  s.array_pitch = round_up(s.systems * s.pitch, step);
  s.input = s.order == walk::systems ? mover::elements
                                     : mover_of(g, s, size, layout::sub, layout::rhs);
  s.output = s.order == walk::systems ? mover::elements
                                      : mover_of(g, s, size, layout::x, layout::x);
}

/// An odd number of rows a chunk, near `wanted`, that leaves few lanes idle.
int fit_chunk(int rows, int wanted) {
  if (rows <= wanted) return rows | 1;
  int best = wanted | 1;
  double best_use = 0;
  for (int r = std::max(wanted * 3 / 4, 3) | 1; r <= wanted + wanted / 4; r += 2) {
    onchip_shape s{};
    s.rows = rows;
    cut(s, r);
    const double use =
        static_cast<double>(rows) * s.systems_a_warp / (r * warp * s.warps_a_system);
    if (use >= best_use) best = r, best_use = use;
  }
  return best;
}

}  // namespace

std::optional<onchip_shape> plan_onchip(const task& t, const onchip_tuning& tuning,
                                        std::size_t most_shared) {
  const geometry& g = t.geometry;
  if (!t.ragged.empty() || g.right_sides.size != 1 || g.rows < 2 || g.rows > 65536) return {};
  const int size = static_cast<int>(size_of(t.type));
  onchip_shape s{};
  s.rows = static_cast<int>(g.rows);
  s.order = order_of(g);
  cut(s, tuning.chunk_rows > 0 ? tuning.chunk_rows : fit_chunk(s.rows, 11));
  fill_block(s, tuning.warps, size);
  if (s.threads > most_threads) return {};
  place_systems(g, s, size);
  s.dense = s.order == walk::rows;
  for (int a = layout::sub; a <= layout::rhs; ++a) s.dense = s.dense && is_dense(g, a);
  s.per_rows = static_cast<unsigned>(((std::uint64_t{1} << 32) + g.rows - 1) / g.rows);
  const auto systems = static_cast<std::size_t>(s.systems), bytes = static_cast<std::size_t>(size);
  s.shared_bytes = 4 * static_cast<std::size_t>(s.array_pitch) * bytes +
                   systems * (layout::array_count * sizeof(index_t) + sizeof(int)) +
                   sizeof(std::uint64_t) + static_cast<std::size_t>(s.threads / warp) * 10 * bytes;
  if (s.shared_bytes > most_shared) return {};
  return s;
}

}  // namespace tridia::cuda
