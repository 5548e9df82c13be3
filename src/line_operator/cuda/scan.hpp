// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_tables.hpp"
#include "gpu/device_limits.hpp"
#include "gpu/fast_divide.hpp"
#include "gpu/tensor_layout.hpp"
#include "layout/geometry.hpp"
#include "line_operator/border_exchange.hpp"
#include "line_operator/constant.hpp"
#include "line_operator/cuda/phased_rows.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <optional>

// These kernels compute out = scale A^-1 B in, or B A^-1 scale in, along lines, A known beforehand
// (core/recurrence.hpp), B a stencil or the identity: a block loads whole lines into shared memory,
// a thread holds some consecutive rows of a line in registers, and the carries between threads are
// two scans. Nothing but `in` and `out` is moved. A thread has the same rows of one tile of lines
// after another, so that their factors are loaded once, and tiles are loaded ahead.
namespace tridia::line_operator {

using namespace gpu;
using layout::geometry;

/// Says which right-hand sides are prescribed where B comes last: those of so many rows at a line's
/// beginning, from number 0 on, and at its end, from `first_tail` on.
struct given_rows {
  int heads, tails, first_tail;

  TRIDIA_FN int count() const { return heads + tails; }
  // These return the row of right-hand side i of these, and its number among all that are
  // prescribed.
  TRIDIA_FN int row(int i, int rows) const { return i < heads ? i : rows - count() + i; }
  TRIDIA_FN int number(int i) const { return i < heads ? i : first_tail + i - heads; }
};

/// Row k of B along a line is the sum of weights[w] in[k + first + w]; the rows at both ends of a
/// line have weights of their own, which count from point `first`. Kernels have room for
/// `most_weights` weights inside; those that are not needed are zeros.
inline constexpr int some_weights = 5, most_weights = 11, most_closure = 10,
                     most_closure_weights = 12;
template <class V>
struct kernel_stencil {
  int first;
  V weights[most_weights];
  int heads, tails;  // rows of a line at its beginning and its end
  // A count of 0 means that the right-hand side is prescribed, as number `first` of those that are;
  // where B comes last, the result.
  struct row {
    int first, count;
    V weights[most_closure_weights];
  } rows[2 * most_closure];  // heads, then tails, the very last one at the end
  given_rows given;

  /// Returns how many numbers a line's ends take: its own rows', then those of `given`.
  TRIDIA_FN int end_values() const { return heads + tails + given.count(); }
};

/// Describes on the host what is to be done. A stencil's weights are in double precision.
struct scan_task {
  value_type type;
  geometry lines;              // lines[rhs], lines[x] and right_sides are of `in` and `out`
  index_t points, rows;        // of a line of `in` and of `out`
  kernel_stencil<double> b{};  // if `width` is 1, of rows that are prescribed alone
  bool scaled = false;         // rows of `out` have scales
  int distinct = 0;            // chunks whose factors differ; 0: all
  int chunk_rows = 0;          // of a thread; 0: what `scan_chunk` says
  int width = 1;               // of the interior stencil; 1: B is the identity
  bool gathers = false;        // out = B A^-1 scale in: B comes last
  bool exchanges = false;      // a warp may exchange shares with other ranks (border_exchange.hpp)

  int value_bytes() const { return static_cast<int>(size_of(type)); }
  index_t all_rows() const { return rows * lines.right_sides.size; }
};

/// Says how a block's lines lie, which its kernel is compiled for: one after another; neighbours in
/// memory, row by row; or neighbours whose rows begin in phases.
enum class tile_kind { along, across, phased };

/// Describes what a block does. A line takes `chunks` threads; a tile is some lines, one after
/// another, or `interleaved`: neighbours in memory, row by row.
struct scan_shape {
  int points, rows;
  int chunk_rows;  // of a thread: one of the numbers that kernels are compiled for
  int chunks;      // of a line
  int distinct;    // whose factors differ
  bool interleaved;
  // These are the lines of a tile, if interleaved a power of two, and its logarithm; and those of a
  // round: short chunks, and rows in phases, are solved in rounds. If interleaved, neighbouring
  // threads of a warp hold the same chunk of neighbouring lines, and groups of warps all chunks of
  // these. Where a tile is one piece of neighbouring lines, a round has some that are not there.
  int lines, log_lines, round_lines, solved_lines;
  int line_pitch;       // elements of the tile from one line to the next; 1 if interleaved
  phased_rows in_tile;  // of the points of a line, with room in front for the TMA
  int before, after;    // points around a line that B reads
  bool scaled;
  // Lines follow each other, or all rows of neighbouring ones do: a tile is moved in one piece, if
  // it is aligned.
  bool whole;
  bool boxes;           // the TMA moves a tile as a box, or as some, if it can
  int threads, stages;  // that have chunks; tiles of a block at a time
  bool two_blocks;      // of a multiprocessor
  int axis_tiles;       // tiles that take the fastest axis, if interleaved
  index_t tiles;
  // These are of the boxes that the TMA moves, if interleaved: the rows; and the rows of the array
  // from one point of the outer axis to the next.
  int box_rows;
  index_t outer_rows;
  std::size_t stage_bytes, shared_bytes;

  /// Returns how many threads apart neighbouring chunks of a line are, within a warp.
  TRIDIA_FN int lanes() const {
    return !interleaved ? 1 : round_lines < warp_size ? round_lines : warp_size;
  }
  tile_kind kind() const {
    return !interleaved      ? tile_kind::along
           : in_tile.log > 0 ? tile_kind::phased
                             : tile_kind::across;
  }
};

/// Returns the rows of a thread, by the bytes of a value: odd, so that chunks lie in different
/// banks. Lines of up to `short_chunk` rows, each one chunk, have smaller ones, unless B is a
/// stencil: these are one dense matrix (compact/cuda/short_lines.hpp). Lines of up to `few_rows`
/// rows have smaller ones if a chunk has more than `half_chunk`, of which most would be for
/// nothing.
inline constexpr int short_chunk = 8, half_chunk = 19, few_rows = 64;
constexpr int scan_chunk(std::size_t value_bytes) {
  return value_bytes == 4 ? 37 : value_bytes == 8 ? half_chunk : 9;
}
constexpr int scan_chunk(std::size_t value_bytes, index_t rows, bool stencil = false) {
  const int most = scan_chunk(value_bytes);
  if (!stencil && rows <= short_chunk && most >= 2 * short_chunk) return short_chunk;
  return rows <= few_rows && most > half_chunk ? half_chunk : most;
}

/// These are the registers of a thread, and the threads of a block that have chunks: with the warp
/// that copies, and the one that exchanges shares, if there is one, two blocks of
/// `good_scan_threads` take all the registers of a multiprocessor. Blocks are small where chunks of
/// neighbouring lines of f32 have few rows: with fewer registers a multiprocessor holds four of
/// them instead of three.
constexpr int scan_registers(tile_kind kind, int chunk_rows, std::size_t value_bytes) {
  const bool small = kind == tile_kind::across && chunk_rows == half_chunk && value_bytes == 4;
  return small ? 96 : 128;
}
constexpr int good_scan_threads(bool exchanges) { return exchanges ? 192 : 224; }
constexpr int most_scan_threads(bool exchanges) { return exchanges ? 448 : 480; }

/// Names a point around a periodic line that B reads, and the point of the line that it is a copy
/// of.
struct periodic_copy {
  int to, from;
};
/// Returns number `i` of the `s.before + s.after` copies around a line.
TRIDIA_FN periodic_copy periodic_copy_of(const scan_shape& s, int i) {
  if (i < s.before) return {i - s.before, i - s.before + s.points};
  return {i - s.before + s.points, i - s.before};
}

/// Returns whether neighbouring lines are closer in `in` than neighbouring points.
bool lies_interleaved(const geometry&);

/// Returns log2 of the number of phases in which rows of neighbouring lines begin
/// (phased_rows.hpp), or 0 where they have less than 128 bytes: these are faster by elements.
int phases_of(const geometry&, value_type);

/// Plans a scan. Returns nothing where a block has no room for a line, lines are too short, or
/// there is no TMA.
std::optional<scan_shape> plan_scan(const scan_task&, const device_limits&);

/// Holds the tables of a matrix (core/chunk_tables.hpp). Chunks share values that are the same, as
/// they are where factors have converged.
struct chunked_factors {
  std::vector<wide> values;
  std::vector<int> number;  // of a chunk's values
  std::vector<wide> minus_products;
};
inline constexpr int most_scan_steps = 5;
/// Returns the steps of a scan within a warp: if interleaved, at least four of its lanes hold
/// neighbouring lines.
constexpr int scan_steps(bool interleaved) { return interleaved ? 3 : most_scan_steps; }
/// Returns the rows of a thread for factors that a plan holds: fewer where there are so few rows in
/// all that what counts is how soon a thread is done.
int planned_chunk(const scan_task&);
chunked_factors cut_factors(const recurrences&, value_type type, int chunk_rows);
/// Returns how lines of `rows` rows are cut into chunks.
template <class V>
constexpr core::chunk_cut scan_cut(int rows) {
  const int of_chunk = scan_chunk(sizeof(V), rows);
  return {of_chunk, ceil_div(rows, of_chunk), most_scan_steps};
}

/// Holds the tables of chunked_factors in memory of the device.
struct scan_tables {
  const void *values = nullptr, *minus_products = nullptr;
  const int* number = nullptr;  // null: chunks share no values
  // This is null, or points to a 0 if the tables cannot be used: then nothing is done.
  const int* sound = nullptr;
};

/// Holds the arguments of one execution.
struct scan_call {
  const void* in;
  void* out;
  double scale;
  bool accumulate;  // out += instead of out =
  index_t* status;  // null, or zeros if lines share one (layout/line_status.hpp)
  // These are the prescribed right-hand sides: for each such row, one number for each line. The
  // values of `in` there still count for the status.
  const void* prescribed = nullptr;
  // This says whether a row of the solution that is not finite is distinguished from one of the
  // right-hand side, by adding `longest`: for lines that are parts of others
  // (line_operator/merged_status.hpp).
  bool tells_solution = false;
  // From this counter in memory of the device, blocks take the tiles that they do after those that
  // they begin with. If it is null, every block does equally many.
  unsigned* tile_counter = nullptr;
  bool tile_counter_cleared = false;  // by a launch before; or else by this one
  scan_tables tables{};               // where the plan has none
  // What this scan reads was there before the scan that was launched last, which neither writes any
  // of it nor reads what this one writes: they run at the same time.
  bool beside_last = false;
  // The prescribed right-hand sides come from the launch before, which changes nothing else that
  // this scan reads, and lets it begin.
  bool after_sums = false;
  // If this is not null, the kernel computes the prescribed right-hand sides with other ranks.
  const border_exchange* exchange = nullptr;
};

/// Holds what is kept from one execution to the next.
struct planned_scan {
  scan_task task;  // with axes of lines that were joined, whatever their statuses
  layout::axes_of<1> statuses;
  bool shares_status;  // among lines
  scan_shape shape;
  scan_tables tables;
  const void* scale;
  bool cyclic;
  wide closing_down, closing_back;
  index_t blocks;
};

/// Says how an array is moved, as its addresses allow.
enum class line_copy_mode { elements, lines, boxes };

/// Returns the copy mode of `in` (layout::rhs) or `out` (layout::x), and its tensor maps, one for
/// each phase of its rows, if it is moved by boxes.
line_copy_mode copy_mode_of(const planned_scan&, layout::array, const void* array, CUtensorMap*);
/// Returns the tensor layout of an array's boxes, of one phase of its rows if these are in phases
/// (phased_rows.hpp), if the shape is for boxes and the array's addresses allow them.
std::optional<tensor_layout> layout_of(const planned_scan&, layout::array, const void* array,
                                       int phase = 0);

/// Returns the elements from a multiple of 16 bytes to where an array's pointer points.
int behind_piece(const scan_task&, const void* array);
/// Returns the index of the first element of `in` behind all lines in memory order.
index_t end_of_lines(const scan_task&);

struct scan_launches {
  /// Lets blocks have `bytes` of shared memory, and finds how many of a shape a multiprocessor
  /// holds. To be called once for each device.
  cudaError_t (*prepare)(const planned_scan&, std::size_t bytes, int* resident);
  cudaError_t (*apply)(const planned_scan&, const scan_call&, cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
scan_launches scan_kernels();
/// Returns the launches of calls that have an exchange, of operators on a real type; instantiated
/// in border_exchange.cu.
template <class V>
scan_launches exchanging_scan_kernels();

}  // namespace tridia::line_operator
