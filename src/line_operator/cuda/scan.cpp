// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/scan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace tridia::line_operator {

using namespace gpu;

namespace {

constexpr int most_box = 256;
/// These are the bytes of a row of neighbouring lines that memory reads well, those that it reads
/// best, and the minimum.
constexpr int good_row = 128, best_row = 256, least_row = sector;
/// These are the bytes of a tile of lines of one chunk each, of which threads solve several, and
/// the maximum number of rounds.
constexpr int good_short_tile = 16 << 10, most_rounds = 8;
/// These are the numbers of stages, each of a tile, of a block: the maximum; enough, and the
/// maximum across, where another block of a multiprocessor is worth more than a fourth; enough for
/// each of two blocks of a multiprocessor.
constexpr int most_stages = 4, few_stages = 3, least_stages = 2;
/// Lines of up to `good_whole` bytes (those of few rows: `good_whole_short`; with a stencil
/// `good_whole_stencil`) are moved together where they follow each other; lines of up to `good_box`
/// bytes are moved as a box, whose rows lie further apart in shared memory, which costs a stencil's
/// short lines more than bank conflicts do.
constexpr int good_whole = 128, good_whole_short = 256, good_whole_stencil = 32, good_box = 768;
/// Neighbouring lines of one chunk each are up to `most_short` in a round. Below `short_rows` rows,
/// tiles of fewer bytes a row than `good_row` are too small to be worth it.
constexpr int most_short = 128, short_rows = 24;

/// Returns the rows of a thread.
int chunk_of(const scan_task& t) {
  return t.chunk_rows > 0 ? t.chunk_rows : scan_chunk(tridia::size_of(t.type), t.rows, t.width > 1);
}

/// Returns the number of chunks per line from which on the speed of the TMA matters more than bank
/// conflicts: it is fastest if lines are aligned to cache lines in shared memory. With a stencil,
/// shared memory is read twice, so the number is higher.
int many_chunks(const scan_task& t) { return t.width > 1 ? 14 : 12; }

/// Returns the passes in which a warp's threads read the same row of their chunks, where lines are
/// `pitch` apart.
int bank_passes(const scan_shape& s, int pitch, int banks) {
  int all = 0;
  for (int first = 0; first < warp_size; first += banks) {
    std::vector<int> reads(static_cast<std::size_t>(banks));
    for (int lane = first; lane < std::min(first + banks, warp_size); ++lane) {
      const int at = lane / s.chunks * pitch + lane % s.chunks * s.chunk_rows;
      ++reads[static_cast<std::size_t>(at % banks)];
    }
    all += *std::max_element(reads.begin(), reads.end());
  }
  return all;
}
/// Returns the pitch from `least` on, in steps, with which threads of neighbouring lines have the
/// fewest bank conflicts.
int quiet_pitch(const scan_shape& s, int least, int step, int banks) {
  int best = least;
  for (int pitch = least; pitch < least + banks; pitch += step) {
    if (bank_passes(s, pitch, banks) < bank_passes(s, best, banks)) best = pitch;
  }
  return best;
}

/// Returns the bytes that a block needs beside its stages: scan_memory.cuh.
std::size_t fixed_bytes(const scan_shape& s, int size, int end_values) {
  const int exchanged = s.threads / warp_size * s.lanes();
  const int values = 3 * s.distinct * s.chunk_rows + (s.scaled ? s.chunks * s.chunk_rows : 0) +
                     2 * scan_steps(s.interleaved) * s.chunks + 4 * exchanged + s.lines +
                     2 * s.chunks + most_stages * s.lines * end_values;
  return cache_line + static_cast<std::size_t>(values) * static_cast<std::size_t>(size) +
         static_cast<std::size_t>(2 * s.lines * most_stages) * sizeof(int);
}

/// Sets the number of stages that fit in shared memory, for one block of a multiprocessor or for
/// two.
bool add_stages(scan_shape& s, const scan_task& t, int size, const device_limits& limits) {
  const std::size_t fixed = fixed_bytes(s, size, t.b.end_values());
  // A multiprocessor keeps a kilobyte of each block for itself.
  const std::size_t half = limits.shared_bytes / 2 - 1024;
  s.two_blocks =
      s.threads <= good_scan_threads(t.exchanges) && fixed + least_stages * s.stage_bytes <= half;
  const std::size_t share = s.two_blocks ? half : limits.shared_bytes;
  if (fixed + s.stage_bytes > share) return false;
  s.stages = std::min(static_cast<int>((share - fixed) / s.stage_bytes),
                      s.interleaved ? few_stages : most_stages);
  s.shared_bytes = fixed + static_cast<std::size_t>(s.stages) * s.stage_bytes;
  return true;
}

/// Returns whether neighbouring lines are `stride` elements apart, and points of a line `step`, in
/// both arrays.
bool lie_dense(const scan_task& t, index_t stride, index_t step) {
  const layout::axis& fastest = t.lines.right_sides.at[t.lines.right_sides.count - 1];
  const auto dense = [&](layout::array a) {
    return fastest.stride[a] == stride && t.lines.lines[a].step == step;
  };
  return dense(layout::rhs) && dense(layout::x);
}

/// Returns whether lines follow each other and are better moved some in one piece: short ones, and
/// those that begin where the TMA takes no line. There is no room around such lines, so that all
/// rows that read beyond a line must have weights of their own.
bool lie_whole(const scan_task& t) {
  const layout::axes& batch = t.lines.right_sides;
  const bool reads_around = t.width > 1 && t.b.heads + t.b.tails == 0;
  if (batch.count != 1 || t.points != t.rows || reads_around) return false;
  const index_t bytes = t.rows * t.value_bytes();
  const int most = t.rows < short_rows ? good_whole_short : good_whole;
  if (bytes > (t.width > 1 ? good_whole_stencil : most) && bytes % tma_piece == 0) return false;
  return lie_dense(t, t.rows, 1);
}

/// Returns whether a tile of so many lines has all neighbours, whose rows follow each other and are
/// too short for boxes: it is moved in one piece.
bool rows_lie_whole(const scan_task& t, int lines) {
  const layout::axes& batch = t.lines.right_sides;
  const layout::axis& fastest = batch.at[batch.count - 1];
  const index_t bytes = fastest.extent * t.value_bytes();
  if (t.rows <= short_chunk || bytes >= good_row || bytes % tma_piece == 0) return false;
  if (lines < fastest.extent) return false;
  return lie_dense(t, 1, fastest.extent);
}

/// Returns how many lines that follow each other take a multiple of 16 bytes.
int aligned_lines(const scan_task& t) {
  int lines = 1;
  while (lines * t.rows * t.value_bytes() % tma_piece != 0) lines *= 2;
  return lines;
}

/// Returns whether lines in memory order begin or end anywhere, and are long enough for a copy of
/// the TMA each, of all pieces of 16 bytes that they touch.
bool begin_anywhere(const scan_task& t) {
  constexpr index_t shortest = 512;
  const index_t size = t.value_bytes();
  const layout::axes& batch = t.lines.right_sides;
  const bool whole = t.points * size % tma_piece == 0 && t.rows * size % tma_piece == 0;
  const bool aligned =
      whole && std::all_of(batch.at, batch.at + batch.count, [&](const layout::axis& a) {
        return a.stride[layout::rhs] * size % tma_piece == 0;
      });
  return !aligned && size < tma_piece && std::min(t.points, t.rows) * size >= shortest;
}

/// Lays out a tile of lines in memory order. Returns its elements, `all_rows` of the last line
/// among them.
int lay_out_lines(scan_shape& s, const scan_task& t, int size, int all_rows) {
  const int step = std::max((s.chunks >= many_chunks(t) ? cache_line : tma_piece) / size, 1);
  // A box begins with a cache line, and, when it is stored, with the first point of lines.
  const int front = round_up(s.before, s.boxes ? cache_line / size : step);
  const int behind = !s.whole && !s.boxes && begin_anywhere(t) ? tma_piece / size - 1 : 0;
  s.in_tile = {.pitch = 1, .front = front, .in_piece = behind};
  const int longer = std::max(s.points, s.rows);
  const int least = front + std::max(longer + s.after, s.chunks * s.chunk_rows) + behind;
  s.line_pitch = s.whole ? s.rows : quiet_pitch(s, round_up(least, step), step, cache_line / size);
  return (s.lines - 1) * s.line_pitch + std::max(s.line_pitch, front + behind + all_rows);
}

/// Returns log2 of the number of phases in which rows are moved: short chunks have no kernels for
/// several.
int phases_log(const scan_shape& s, const scan_task& t) {
  return s.rows <= short_chunk ? 0 : phases_of(t.lines, t.type);
}

/// Lays out a tile of neighbouring lines, of which a chunk reads up to `all_rows` rows. Returns its
/// elements.
int lay_out_rows(scan_shape& s, const scan_task& t, int size, int all_rows) {
  const layout::along& line = t.lines.lines[layout::rhs];
  phased_rows& r = s.in_tile;
  r = {.log = phases_log(s, t)};
  s.whole = rows_lie_whole(t, s.lines);
  const int in_piece = r.log > 0 ? tma_piece / size : 0, phases = r.phases();
  if (in_piece > 0) r.in_piece = in_piece - 1, r.skew = static_cast<int>(line.step % in_piece);
  s.line_pitch = 1;
  s.outer_rows = r.log > 0 ? outer_rows_of(t.lines.right_sides, layout::rhs, line) : 0;
  r.pitch = s.whole ? static_cast<int>(line.step) : s.lines + in_piece;
  // Every box begins at a multiple of this many rows.
  const int step = std::max(cache_line / std::gcd(cache_line, r.pitch * size), 1);
  const auto of_phase = [&](int rows) { return ceil_div(rows + phases - 1, phases); };
  const int most = of_phase(std::max(s.points, s.rows)), boxes = ceil_div(most, most_box);
  s.box_rows = ceil_div(most, boxes);
  if (boxes > 1) s.box_rows = round_up(s.box_rows, step);
  const int of_line = cache_line / size,
            read = of_phase(std::max(std::max(s.points, s.rows) + s.after, all_rows));
  r.front = round_up(ceil_div(s.before, phases) * r.pitch, of_line);
  r.phase_pitch = round_up(r.front + std::max(boxes * s.box_rows, read) * r.pitch, of_line);
  return phases * r.phase_pitch;
}

/// Returns whether lines in memory order are moved as boxes, if the TMA can describe these.
bool are_for_boxes(const scan_shape& s, int size) {
  const bool aligned = s.points * size % tma_piece == 0 || s.rows * size % tma_piece == 0;
  return !s.whole && aligned && std::max(s.points, s.rows) * size <= good_box;
}

bool fits(scan_shape& s, const scan_task& t, const device_limits& limits) {
  const int size = t.value_bytes();
  s.chunk_rows = chunk_of(t);
  s.chunks = ceil_div(s.rows, s.chunk_rows);
  s.round_lines = s.lines;
  if (s.chunk_rows == short_chunk) {
    s.round_lines = std::min(s.lines, s.interleaved ? most_short : good_scan_threads(t.exchanges));
  } else if (s.interleaved && phases_log(s, t) > 0) {
    const auto most = static_cast<unsigned>(most_scan_threads(t.exchanges) / s.chunks);
    s.round_lines = std::min(s.lines, std::max(static_cast<int>(std::bit_floor(most)), 4));
  }
  s.threads = round_up(s.chunks * s.round_lines, warp_size);
  if (s.threads > most_scan_threads(t.exchanges)) return false;
  s.before = t.width > 1 ? std::max(-t.b.first, 0) : 0;
  s.after = t.width > 1 ? std::max(s.rows + t.b.first + t.width - 1 - s.points, 0) : 0;
  // A periodic line is extended beyond its ends by at most one copy of itself.
  if (std::max(s.before, s.after) > s.points) return false;
  const int all_rows = s.chunks * s.chunk_rows + t.width - 1 + std::max(t.b.first, 0);
  int elements = 0;
  s.boxes = s.interleaved || (are_for_boxes(s, size) && !begin_anywhere(t));
  if (s.interleaved) {
    s.log_lines = std::countr_zero(static_cast<unsigned>(s.lines));
    elements = lay_out_rows(s, t, size, all_rows);
  } else {
    elements = lay_out_lines(s, t, size, all_rows);
    if (s.boxes &&
        s.line_pitch * size > most_box * std::min(size, 8)) {  // of words, of 8 bytes at most
      s.boxes = false;
      elements = lay_out_lines(s, t, size, all_rows);
    }
  }
  s.solved_lines = s.interleaved && s.whole ? s.in_tile.pitch : s.round_lines;
  s.stage_bytes = static_cast<std::size_t>(round_up(elements * size, cache_line));
  return add_stages(s, t, size, limits);
}

}  // namespace

bool lies_interleaved(const geometry& g) {
  if (g.right_sides.count == 0) return false;
  const layout::axis& fastest = g.right_sides.at[g.right_sides.count - 1];
  return std::abs(fastest.stride[layout::rhs]) < std::abs(g.lines[layout::rhs].step);
}

int phases_of(const geometry& g, value_type type) {
  const layout::axes& batch = g.right_sides;
  const auto size = static_cast<index_t>(tridia::size_of(type));
  if (batch.count == 0 || size >= tma_piece) return 0;
  if (batch.at[batch.count - 1].extent * size < good_row) return 0;
  return log_phases_of(batch, layout::rhs, g.lines[layout::rhs], tridia::size_of(type));
}

namespace {

/// Returns whether solves with one matrix are better left to the kernels that substitute: short
/// lines that are not moved in one piece, or of which threads would compute many rows in vain.
/// Operators would be read and written by three kernels.
bool are_left(const scan_task& t, const scan_shape& s) {
  constexpr int many_rows = 16;
  if (t.width > 1 || s.rows >= short_rows) return false;
  return (!s.interleaved && !s.whole) || s.chunk_rows - s.rows > many_rows;
}

/// Returns the rounds of a tile whose rounds have so many lines, if a line is one short chunk:
/// threads would wait for small tiles longer than they work on them.
int rounds_for(const scan_task& t, int round_lines) {
  if (scan_chunk(tridia::size_of(t.type), t.rows, t.width > 1) != short_chunk) return 1;
  const index_t bytes = round_lines * std::max(t.points, t.rows) * t.value_bytes();
  const index_t rounds = std::clamp<index_t>(good_short_tile / bytes, 1, most_rounds);
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(rounds)));
}

/// Sets the lines of a tile in memory order: with two blocks of a multiprocessor, if these have
/// room for two thirds of the lines. Returns whether a block has room for a line.
bool choose_lines(scan_shape& s, const scan_task& t, const device_limits& limits) {
  const int step = s.whole ? aligned_lines(t) : 1, most = std::max(s.lines / step * step, step);
  const auto take_from = [&](int least, const auto& good) {
    for (s.lines = most; s.lines >= least; s.lines -= step) {
      if (fits(s, t, limits) && good()) return true;
    }
    return false;
  };
  const auto has_enough = [&] { return s.stages >= few_stages; };
  if (!take_from(ceil_div(2 * most, 3), [&] { return has_enough() && s.two_blocks; }) &&
      !take_from(step, has_enough)) {
    s.lines = step;
    if (!fits(s, t, limits)) return false;
  }
  s.tiles = (t.lines.right_sides.size + s.lines - 1) / s.lines;
  return s.tiles <= most_grid;
}

/// Returns the lines to begin with, from which tiles are made smaller until they fit.
int lines_for(const scan_shape& s, const scan_task& t, int chunks) {
  if (!s.interleaved) {
    const int lines = std::max(good_scan_threads(t.exchanges) / chunks, 1);
    return lines * rounds_for(t, lines);
  }
  if (chunks > 1) {
    // Rows that begin anywhere touch parts of one sector more, and are long even so, unless there
    // is so much to compute, for the bytes that there are, that a multiprocessor should have two
    // blocks.
    const int many = std::bit_floor(static_cast<unsigned>(good_scan_threads(t.exchanges) / chunks));
    const bool two = t.value_bytes() == 4 && many * t.value_bytes() >= good_row;
    const int row = t.width > some_weights || two ? good_row : best_row;
    const int least = std::max(row / t.value_bytes(), warp_size / 2);
    return phases_log(s, t) > 0 ? std::clamp(many, least, most_short) : warp_size;
  }
  // A box has up to `most_box` words a row.
  return std::min(most_short * rounds_for(t, most_short), most_box);
}

}  // namespace

std::optional<scan_shape> plan_scan(const scan_task& t, const device_limits& limits) {
  const layout::axes& batch = t.lines.right_sides;
  if (!limits.clusters || batch.size == 0 || t.rows == 0 || std::max(t.points, t.rows) > longest) {
    return {};
  }
  scan_shape s{};
  s.points = static_cast<int>(t.points), s.rows = static_cast<int>(t.rows);
  s.interleaved = lies_interleaved(t.lines);
  s.scaled = t.scaled;
  s.whole = !s.interleaved && lie_whole(t);
  const int size = t.value_bytes();
  const int chunks = ceil_div(s.rows, chunk_of(t));
  s.distinct = t.distinct > 0 ? t.distinct : chunks;
  const int least = s.interleaved ? std::max(least_row / size, 4) : 1;
  s.lines = lines_for(s, t, chunks);
  // There must be enough tiles for all multiprocessors.
  while (s.lines > least && batch.size < index_t{2} * s.lines * limits.multiprocessors &&
         (!s.interleaved || s.lines * size > good_row)) {
    s.lines /= 2;
  }
  if (!s.interleaved) {
    const scan_shape begun = s;
    if (!choose_lines(s, t, limits)) {
      if (!s.whole) return {};
      s = begun, s.whole = false;
      if (!choose_lines(s, t, limits)) return {};
    }
    return are_left(t, s) ? std::nullopt : std::optional(s);
  }
  const index_t neighbours = batch.at[batch.count - 1].extent;
  if (neighbours > std::numeric_limits<int>::max() / 2) return {};
  while (s.lines > least && s.lines / 2 >= neighbours) s.lines /= 2;
  // Two blocks, or several stages, are preferred to long rows; but one block is preferred to short
  // rows.
  const auto good = [&] {
    const int enough = phases_log(s, t) > 0 ? least_stages : few_stages;
    return fits(s, t, limits) && s.stages >= enough &&
           (s.threads <= good_scan_threads(t.exchanges) || s.lines * size <= best_row);
  };
  while (s.lines > least && !good()) s.lines /= 2;
  if (!fits(s, t, limits) || are_left(t, s)) return {};
  if (s.rows < short_rows && s.lines * size < good_row) return {};
  const index_t axis_tiles = (neighbours + s.lines - 1) / s.lines;
  s.axis_tiles = static_cast<int>(axis_tiles);
  s.tiles = axis_tiles * (batch.size / neighbours);
  return s.tiles > most_grid ? std::nullopt : std::optional(s);
}

namespace {

struct recurrence_rows {
  const recurrences& r;
  int count() const { return static_cast<int>(r.lower.size()); }
  const wide& lower(int k) const { return r.lower[static_cast<std::size_t>(k)]; }
  const wide& inverse(int k) const { return r.inverse[static_cast<std::size_t>(k)]; }
  const wide& upper(int k) const { return r.upper[static_cast<std::size_t>(k)]; }
};

struct team_of_one {
  static int rank() { return 0; }
  static int size() { return 1; }
  static void wait() {}
};

}  // namespace

int planned_chunk(const scan_task& t) {
  // Stencils take time of their own; lines that are solved alone are better whole across.
  constexpr index_t few_rows_of_operators = index_t{1} << 22, few_solved_rows = index_t{1} << 21;
  const bool stencil = t.width > 1, interleaved = lies_interleaved(t.lines);
  const int most = scan_chunk(tridia::size_of(t.type), t.rows, stencil);
  const index_t few = stencil ? few_rows_of_operators : interleaved ? 0 : few_solved_rows;
  if (most <= half_chunk || t.all_rows() > few) return most;
  const int lanes = interleaved ? sector / t.value_bytes() : 1,
            threads = interleaved ? most_scan_threads(t.exchanges) : good_scan_threads(t.exchanges);
  const int chunks = ceil_div(static_cast<int>(t.rows), half_chunk);
  return chunks * lanes <= threads ? half_chunk : most;
}

chunked_factors cut_factors(const recurrences& r, value_type type, int chunk_rows) {
  const recurrence_rows rows{r};
  const core::chunk_cut cut{chunk_rows, ceil_div(rows.count(), chunk_rows), most_scan_steps};
  std::vector<wide> all(static_cast<std::size_t>(cut.values()));
  core::cut_values(cut, rows, all.data(), team_of_one{});
  chunked_factors out;
  out.minus_products.resize(static_cast<std::size_t>(cut.products()));
  core::cut_products(cut, rows, out.minus_products.data(), team_of_one{});
  std::vector<std::byte> last;
  for (auto at = all.begin(); at != all.end(); at += 3 * chunk_rows) {
    const std::vector<wide> here(at, at + 3 * chunk_rows);
    auto bytes = rounded(here, type);
    if (bytes != last) {
      out.values.insert(out.values.end(), here.begin(), here.end());
      last = std::move(bytes);
    }
    out.number.push_back(static_cast<int>(out.values.size()) / (3 * chunk_rows) - 1);
  }
  return out;
}

}  // namespace tridia::line_operator
