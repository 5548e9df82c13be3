// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/onchip.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {
namespace {

using solver::task;

constexpr int warp = 32, banks = 32;

constexpr int round_up(int a, int to) { return (a + to - 1) / to * to; }

/// Arrays that lie in one piece, system after system.
unsigned dense_arrays(const geometry& g) {
  unsigned dense = 0;
  if (g.matrices.count > 1) return 0;
  for (int a = 0; a <= layout::x; ++a) {
    const bool next = g.matrices.count == 0 || g.matrices.at[0].stride[a] == g.rows;
    if (g.lines[a].step == 1 && g.lines[a].origin == 0 && next) dense |= 1u << a;
  }
  // A piece holds the off-diagonals' entries outside the matrix.
  if (!g.edges_readable) dense &= ~(1u << layout::sub | 1u << layout::sup);
  return dense;
}

walk order_of(const geometry& g) {
  if (g.matrices.count == 0) return walk::rows;
  const layout::axis& fastest = g.matrices.at[g.matrices.count - 1];
  const auto size = [](index_t stride) { return stride < 0 ? -stride : stride; };
  return size(fastest.stride[layout::rhs]) < size(g.lines[layout::rhs].step) ? walk::systems
                                                                               : walk::rows;
}

/// An odd number of rows a chunk, near `wanted`, that leaves few lanes idle.
int fit_chunk(int rows, int wanted) {
  if (rows <= wanted) return rows | 1;
  int best = wanted | 1;
  double best_use = 0;
  for (int r = wanted / 2 | 1; r <= wanted + wanted / 4; r += 2) {
    const int chunks = (rows + r - 1) / r;
    const int warps = chunks > warp ? (chunks + warp - 1) / warp : 1;
    const int systems = chunks > warp ? 1 : warp / chunks;
    const double use = static_cast<double>(rows) * systems / (r * warp * warps);
    if (use >= best_use) best = r, best_use = use;
  }
  return best;
}

/// Elements between systems in shared memory, so that lanes with neighbouring chunks, or systems,
/// touch different banks.
int pitch_of(const onchip_shape& s, int size) {
  const int words = std::max(size / 4, 1);
  if (s.order == walk::systems) {
    // A row of `systems` is written at once, `banks / (words * systems)` rows together.
    const int together = std::max(banks / (words * s.systems), 1);
    int pitch = s.rows;
    while (pitch % (banks / words) != together % (banks / words)) ++pitch;
    return pitch;
  }
  const bool alone = s.chunks * words >= banks || s.systems == 1;
  return alone ? s.rows : std::max(s.chunks * s.chunk_rows, s.rows);
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
  s.chunk_rows = fit_chunk(s.rows, tuning.chunk_rows > 0 ? tuning.chunk_rows : 17);
  s.chunks = (s.rows + s.chunk_rows - 1) / s.chunk_rows;
  s.systems_a_warp = std::max(warp / s.chunks, 1);
  s.warps_a_system = (s.chunks + warp - 1) / warp;
  int warps = std::max(s.warps_a_system, tuning.warps);
  s.systems = warps / s.warps_a_system * s.systems_a_warp;
  if (s.order == walk::systems) {
    // Whole sectors of memory a row.
    const int least = 32 / std::min(size, 8);
    s.systems = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(s.systems, least))));
  }
  warps = s.systems * s.warps_a_system;
  if (s.warps_a_system == 1) warps = (s.systems + s.systems_a_warp - 1) / s.systems_a_warp;
  s.threads = warps * warp;
  if (s.threads > 512) return {};
  s.dense = dense_arrays(g);
  if (s.order == walk::systems) s.dense = 0;
  s.pitch = pitch_of(s, size);
  s.array_pitch = round_up(s.systems * s.pitch, std::max(16 / size, 1));
  s.per_rows = static_cast<unsigned>(((std::uint64_t{1} << 32) + g.rows - 1) / g.rows);
  const std::size_t node = static_cast<std::size_t>(size) * 10;
  s.shared_bytes = static_cast<std::size_t>(4 * s.array_pitch) * static_cast<std::size_t>(size) +
                   static_cast<std::size_t>(s.systems) *
                       (layout::array_count * sizeof(index_t) + sizeof(int)) +
                   static_cast<std::size_t>(warps) * node;
  if (s.shared_bytes > most_shared) return {};
  return s;
}

}  // namespace tridia::cuda
