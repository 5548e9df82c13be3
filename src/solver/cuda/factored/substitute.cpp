// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/factored/substitute.hpp"

#include "core/dispatch.hpp"
#include "solver/system.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {

using namespace gpu;

namespace {

using layout::axes;
using solver::task;

constexpr int least_warps = 4;
/// These are bytes: of a copy that moves several elements, and of the shortest line worth a copy.
constexpr int granule = 16, shortest_line = 256;
/// These are bytes: of copies in flight that suffice, and of a row of neighbouring systems.
constexpr int enough_loading = 48 << 10, least_row_bytes = 64;
constexpr int least_systems = 16;
constexpr index_t least_rows = 3;

constexpr int granule_elements(int size) { return std::max(granule / size, 1); }

struct factor_values {
  int lower, upper;
};
factor_values factor_values_of(const task& t) {
  return core::with_variant(t.pivoting, t.boundary, [](auto v) {
    using E = core::elimination<double, decltype(v)::pivots, decltype(v)::boundary_kind>;
    return factor_values{E::lower_values, E::upper_values};
  });
}

index_t lines_of(const geometry& g) { return g.matrices.size * g.right_sides.size; }

/// Returns the axes along which consecutively numbered systems lie, in the kernels' order.
const axes& inner_axes(const geometry& g) {
  return g.right_sides.size >= g.matrices.size ? g.right_sides : g.matrices;
}

/// Returns whether neighbouring systems of an array are closer than neighbouring rows.
bool interleaves(const geometry& g, int array) {
  const axes& inner = inner_axes(g);
  if (inner.count == 0) return false;
  const auto distance = [](index_t stride) { return stride < 0 ? -stride : stride; };
  return distance(inner.at[inner.count - 1].stride[array]) < distance(g.lines[array].step);
}

system_copy copy_of(const geometry& g, const substitute_shape& s, int array, int size) {
  system_copy c{};
  c.interleaved = interleaves(g, array);
  const int along = c.interleaved ? s.systems : std::min(s.rows, warp_size);
  const int lanes =
      std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(along))), warp_size);
  c.lanes = c.interleaved ? lanes : warp_size / lanes;
  if (c.interleaved == s.lines) return c;
  c.wide = s.lines ? g.lines[array].step == 1 && s.rows * size % granule == 0 &&
                         s.rows * size >= shortest_line
                   : s.systems * size % granule == 0 && g.lines[array].step * size % granule == 0;
  return c;
}

/// Shapes a tile of whole lines: as many systems as fit, cut into tiles that leave the fewest out.
/// Lanes read 16 bytes of neighbouring lines from different banks.
void cut_lines(substitute_shape& s, int ahead, int size, std::size_t room) {
  const int g = granule_elements(size);
  s.pitch = round_up(s.rows + ahead, g);
  if (s.pitch / g % 2 == 0) s.pitch += g;
  s.row_step = 1;
  s.front = round_up(ahead, g);
  const auto bytes = static_cast<std::size_t>(size);
  for (int warps = 1; warps <= most_warps; ++warps) {
    const std::size_t fronts = static_cast<std::size_t>(warps * s.front) * bytes;
    if (fronts > room) break;
    const auto all =
        static_cast<int>((room - fronts) / (static_cast<std::size_t>(s.pitch) * bytes));
    const int systems = std::min(all / warps, warp_size);
    if (systems == 0) break;
    // More warps than necessary must be worth it: each reads the factors.
    const bool better = 10 * systems * warps > 11 * s.systems * s.warps;
    if (better || s.warps < least_warps) s.systems = systems, s.warps = warps;
  }
}

/// Shapes a tile of rows of neighbouring systems: as many as fill a line of the cache, fewer if a
/// multiprocessor would have too few tiles.
void cut_rows(substitute_shape& s, int ahead, int size, std::size_t room) {
  const auto tiles = [&](int systems) {
    const std::size_t bytes =
        static_cast<std::size_t>(s.rows + 2 * ahead) * static_cast<std::size_t>(systems * size);
    return static_cast<int>(std::min<std::size_t>(room / (bytes + granule), most_warps));
  };
  s.systems = std::min(cache_line / std::min(size, 8), warp_size);
  while (s.systems > 1 && tiles(s.systems) < least_warps - 1) s.systems /= 2;
  while (s.systems < warp_size && tiles(2 * s.systems) == most_warps) s.systems *= 2;
  s.warps = tiles(s.systems);
}

/// Gives a warp fewer systems if there are not enough for all multiprocessors.
void spread(substitute_shape& s, index_t lines, int size, int multiprocessors) {
  const index_t warps = index_t{multiprocessors} * s.warps;
  const index_t share = std::max<index_t>((lines + warps - 1) / warps, 1);
  if (s.lines) {
    s.systems = static_cast<int>(std::min<index_t>(s.systems, share));
  } else {
    const index_t least = std::max(sector / size, 1);
    while (s.systems > least && s.systems / 2 >= share) s.systems /= 2;
  }
}

/// Returns the number of warps that load at the same time: as few as keep the memory busy. If all
/// of them did, all of them would substitute at the same time as well, and the memory would wait.
int loading_of(const substitute_shape& s, int size) {
  for (int warps = 1; 2 * warps <= s.warps; ++warps) {
    if (s.warps % warps == 0 && warps * s.tile * size >= enough_loading) return warps;
  }
  return 0;
}

/// Returns whether this method is faster, as measured: with factors that come from memory row by
/// row, or with less than a few sectors of neighbouring systems, a thread for each of very many
/// systems is faster.
bool pays(const substitute_shape& s, int size) {
  if (s.lines) return s.factors_in_shared || s.systems * s.warps >= least_systems;
  return s.factors_in_shared && s.systems * size >= least_row_bytes;
}

}  // namespace

std::optional<substitute_shape> plan_substitution(const task& t, const device_limits& limits) {
  const geometry& g = t.geometry;
  const int size = static_cast<int>(size_of(t.type));
  const index_t most_rows = static_cast<index_t>(limits.shared_bytes) / size;
  if (!t.ragged.empty() || lines_of(g) == 0 || g.rows < least_rows || g.rows > most_rows) return {};
  substitute_shape s{};
  s.rows = static_cast<int>(g.rows);
  s.lines = !interleaves(g, layout::rhs);
  const factor_values counts = factor_values_of(t);
  const auto bytes = static_cast<std::size_t>(size);
  const auto fixed_bytes = [&](bool factors_in_shared) {
    const int ahead = rows_ahead(factors_in_shared, bytes, counts.lower);
    const int factors = factors_in_shared
                            ? round_up((s.rows + ahead) * counts.lower, granule_elements(size)) +
                                  round_up((s.rows + ahead) * counts.upper, granule_elements(size))
                            : 0;
    return most_warps * sizeof(std::uint64_t) + static_cast<std::size_t>(factors) * bytes;
  };
  s.factors_in_shared = g.matrices.size == 1 && fixed_bytes(true) <= limits.shared_bytes / 4;
  const std::size_t fixed = fixed_bytes(s.factors_in_shared);
  const int ahead = rows_ahead(s.factors_in_shared, bytes, counts.lower);
  const std::size_t room = limits.shared_bytes - fixed;
  s.lines ? cut_lines(s, ahead, size, room) : cut_rows(s, ahead, size, room);
  if (s.warps == 0 || !pays(s, size)) return {};
  spread(s, lines_of(g), size, limits.multiprocessors);
  if (!s.lines) {
    s.row_step = s.systems;
    s.pitch = 1;
    s.front = ahead * s.systems;
  }
  s.tile = round_up(s.lines ? s.front + s.systems * s.pitch : (s.rows + 2 * ahead) * s.systems,
                    granule_elements(size));
  s.loading = loading_of(s, size);
  s.input = copy_of(g, s, layout::rhs, size);
  s.output = copy_of(g, s, layout::x, size);
  s.shared_bytes = fixed + static_cast<std::size_t>(s.warps * s.tile) * bytes;
  return s;
}

}  // namespace tridia::cuda
