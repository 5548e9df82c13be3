// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/substitute.hpp"

#include "core/dispatch.hpp"
#include "solver/system.hpp"

#include <algorithm>
#include <bit>

namespace tridia::cuda {
namespace {

using layout::axes;
using solver::task;

constexpr int warp = 32, most_warps = 8, least_warps = 4;
/// Bytes: of the copies that move several elements, and of what memory moves.
constexpr int granule = 16, shortest_line = 256, sector = 32, cache_line = 128;
constexpr index_t least_rows = 3;

constexpr int round_up(int a, int to) { return (a + to - 1) / to * to; }
constexpr int granule_elements(int size) { return std::max(granule / size, 1); }

struct factor_words {
  int lower, upper;
};
factor_words words_of(const task& t) {
  return core::with_variant(t.pivoting, t.boundary, [](auto v) {
    using E = core::elimination<double, decltype(v)::pivots, decltype(v)::ends>;
    return factor_words{E::lower_words, E::upper_words};
  });
}

index_t lines_of(const geometry& g) { return g.matrices.size * g.right_sides.size; }

/// The axes that neighbouring systems of the numbering lie along: the kernels' order.
const axes& inner_axes(const geometry& g) {
  return g.right_sides.size >= g.matrices.size ? g.right_sides : g.matrices;
}

/// Whether neighbouring systems of an array are closer than neighbouring rows.
bool is_across(const geometry& g, int array) {
  const axes& inner = inner_axes(g);
  if (inner.count == 0) return false;
  const auto distance = [](index_t stride) { return stride < 0 ? -stride : stride; };
  return distance(inner.at[inner.count - 1].stride[array]) < distance(g.lines[array].step);
}

system_copy copy_of(const geometry& g, const substitute_shape& s, int array, int size) {
  system_copy c{};
  c.across = is_across(g, array);
  const int along = c.across ? s.systems : std::min(s.rows, warp);
  const int lanes = std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(along))), warp);
  c.lanes = c.across ? lanes : warp / lanes;
  if (c.across == s.lines) return c;
  c.wide = s.lines ? g.lines[array].step == 1 && s.rows * size % granule == 0 &&
                         s.rows * size >= shortest_line
                   : s.systems * size % granule == 0 && g.lines[array].step * size % granule == 0;
  return c;
}

/// A tile of whole lines: as many systems as fit, cut into tiles that leave the fewest out. Lanes
/// read 16 bytes of neighbouring lines from different banks.
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
    const int systems = std::min(all / warps, warp);
    if (systems == 0) break;
    // More warps than necessary must be worth it: each reads the factors.
    const bool better = 10 * systems * warps > 11 * s.systems * s.warps;
    if (better || s.warps < least_warps) s.systems = systems, s.warps = warps;
  }
}

/// A tile of rows of neighbouring systems: as many as fill a line of the cache, fewer if a
/// multiprocessor would have too few tiles.
void cut_rows(substitute_shape& s, int ahead, int size, std::size_t room) {
  const auto tiles = [&](int systems) {
    const std::size_t bytes =
        static_cast<std::size_t>(s.rows + 2 * ahead) * static_cast<std::size_t>(systems * size);
    return static_cast<int>(std::min<std::size_t>(room / (bytes + granule), most_warps));
  };
  s.systems = std::min(cache_line / std::min(size, 8), warp);
  while (s.systems > 1 && tiles(s.systems) < least_warps - 1) s.systems /= 2;
  while (s.systems < warp && tiles(2 * s.systems) == most_warps) s.systems *= 2;
  s.warps = tiles(s.systems);
}

/// Fewer systems a warp if there are not enough for all multiprocessors.
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

}  // namespace

std::optional<substitute_shape> plan_substitution(const task& t, const substitute_limits& limits) {
  const geometry& g = t.geometry;
  const int size = static_cast<int>(size_of(t.type));
  const index_t longest = static_cast<index_t>(limits.shared_bytes) / size;
  if (!t.ragged.empty() || lines_of(g) == 0 || g.rows < least_rows || g.rows > longest) return {};
  substitute_shape s{};
  s.rows = static_cast<int>(g.rows);
  s.lines = !is_across(g, layout::rhs);
  const factor_words words = words_of(t);
  const auto bytes = static_cast<std::size_t>(size);
  const auto fixed_bytes = [&](bool staged) {
    const int ahead = rows_ahead(staged, bytes, words.lower);
    const int factors = staged
                            ? round_up((s.rows + ahead) * words.lower, granule_elements(size)) +
                                  round_up((s.rows + ahead) * words.upper, granule_elements(size))
                            : 0;
    return most_warps * sizeof(std::uint64_t) + static_cast<std::size_t>(factors) * bytes;
  };
  s.staged = g.matrices.size == 1 && fixed_bytes(true) <= limits.shared_bytes / 4;
  const std::size_t fixed = fixed_bytes(s.staged);
  const int ahead = rows_ahead(s.staged, bytes, words.lower);
  const std::size_t room = limits.shared_bytes - fixed;
  s.lines ? cut_lines(s, ahead, size, room) : cut_rows(s, ahead, size, room);
  if (s.warps == 0) return {};
  spread(s, lines_of(g), size, limits.multiprocessors);
  if (!s.lines) {
    s.row_step = s.systems;
    s.pitch = 1;
    s.front = ahead * s.systems;
  }
  s.tile = round_up(s.lines ? s.front + s.systems * s.pitch : (s.rows + 2 * ahead) * s.systems,
                    granule_elements(size));
  s.loading = s.warps > 1 ? 1 : 0;
  s.input = copy_of(g, s, layout::rhs, size);
  s.output = copy_of(g, s, layout::x, size);
  s.shared_bytes = fixed + static_cast<std::size_t>(s.warps * s.tile) * bytes;
  return s;
}

}  // namespace tridia::cuda
