// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/tile_schedule.hpp"
#include "layout/geometry.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/executor.hpp"

#include <cuda_runtime_api.h>

#include <optional>

// These kernels solve systems that fit the chip and whose neighbours in memory are other systems:
// neighbouring lanes hold neighbouring systems, and every access is coalesced as the arrays lie. A
// block brings its systems into shared memory and goes on as for systems in memory order
// (onchip.hpp), but that the chunks of a system are not with neighbouring lanes.
namespace tridia::cuda {

using namespace gpu;

/// Describes the work of a block, or of a cluster of blocks that share the rows of some systems.
struct interleaved_shape {
  int rows;        // of a system
  int sides = 1;   // right-hand sides of a system
  int blocks;      // that share a system
  int neighbours;  // blocks with neighbouring systems that start together, as a cluster; or 1
  int segments;    // of a system that is too long for the chip, a block each; or 1
  int beside;      // of such tiles, which are started together
  int block_rows;  // of a system in a block; the last one may have fewer
  int chunk_rows;  // of a thread; odd, so that a warp's chunks lie in different banks
  // These are powers of two, with their logarithms: systems of a block, and groups of a system's
  // chunks in a block, some of which may be empty. A group is the chunks that one warp holds, or
  // one chunk.
  int systems, log_systems;
  int groups, log_groups;
  int log_in_group;
  int log_lanes;   // lanes of a warp that hold the groups of a system, or equations of its blocks
  int log_rounds;  // a block's threads take its systems in so many rounds, if each is one chunk
  int axis_tiles;  // tiles, of so many systems each, that the fastest axis of the batch takes
  fast_divide by_axis_tiles, by_chunk_rows;
  tile_schedule schedule;
  tile_order order;
  bool boxes;       // whether the TMA may move boxes of the arrays
  int box_rows;     // of these; divides block_rows
  int array_pitch;  // elements of shared memory from one array to the next
  // Neighbours with several right-hand sides of one matrix have one copy of it, or each their own.
  int matrix_systems, matrix_pitch;  // copies, and elements from sub to diag and from diag to sup
  std::size_t shared_bytes;

  /// Returns the elements of all arrays in shared memory.
  TRIDIA_FN int tile_elements() const { return layout::rhs * matrix_pitch + sides * array_pitch; }
  TRIDIA_FN int exchange_lanes() const { return 1 << log_lanes; }
  TRIDIA_FN int rounds() const { return 1 << log_rounds; }
  TRIDIA_FN int threads() const { return systems << (log_groups + log_in_group) >> log_rounds; }
};

/// Holds what tuning decides; powers of two, 0: by rule.
struct interleaved_tuning {
  int systems = 0;  // of a block
  int blocks = 0;   // that share a system
};

/// Returns the shape for a problem, or nothing if it does not fit.
std::optional<interleaved_shape> plan_interleaved(const solver::task&, const interleaved_tuning&,
                                                  const device_limits&);

/// Returns the numbers of such a size that the TMA moves together.
constexpr index_t piece_of(std::size_t value_bytes) {
  return value_bytes < 16 ? 16 / static_cast<index_t>(value_bytes) : 1;
}

/// Returns the rows of a segment, `most` or some multiples of `step` fewer, so that the last one of
/// a line has `least` if that can be: x beside a short one has to wait for the whole line.
index_t even_segments(index_t rows, index_t most, index_t least, index_t step);

/// Returns the shape for systems that are too long for the chip and have `sides` right-hand sides
/// each: a block has `rows` rows of them, and a thread about `chunk_rows`; 0: by rule. Nothing if
/// there is none.
std::optional<interleaved_shape> plan_row_segments(const solver::task&, int sides, int rows,
                                                   int chunk_rows, const device_limits&);

/// Returns whether there are kernels for values of so many bytes that take a block's systems in
/// rounds: with 8 bytes the loop costs registers, and short systems fill a thread's share of memory
/// sooner.
TRIDIA_FN constexpr bool can_take_rounds(std::size_t value_bytes) { return value_bytes == 4; }

/// Returns whether kernels for values of so many bytes have clusters that take several tiles: with
/// pivoting they have too few registers, and may need a tile once more, with 16 bytes an element
/// too few as well.
TRIDIA_FN constexpr bool can_persist(pivoting p, std::size_t value_bytes) {
  return p == pivoting::none && value_bytes <= 8;
}
/// Returns whether rows of neighbouring systems begin anywhere, rather than at multiples of what
/// the TMA moves.
bool begins_anywhere(const solver::task&);

/// Returns whether rows of neighbouring systems fill half a line of the cache or more.
bool are_long_rows(const solver::task&);

/// What threads copy element by element waits for memory in the first-level cache. Two blocks of a
/// multiprocessor with `pair_with_cache` bytes each leave it 92 KB, three nearly nothing, and two
/// with tiles of `most_pair` 60 KB.
inline constexpr std::size_t pair_with_cache = std::size_t{80} << 10,
                             most_pair = std::size_t{89} << 10;

/// Returns whether systems keep a device busy for a short while: one block of a multiprocessor
/// after another, or two, hold 32 bytes of each of their rows.
bool are_few(const solver::task&, const gpu::device_limits&);

/// Returns whether the blocks of a cluster, which are few on a multiprocessor, wait for each other
/// for longer than a second pass over the rows takes; rows that begin anywhere make passes longer.
bool waits_long(const interleaved_shape&, const solver::task&);

/// Returns whether clusters of the shape are faster with several tiles each: where rows are shorter
/// than 64 bytes, blocks that read parts of the same line of the cache would drift apart.
bool may_persist(const interleaved_shape&, const solver::task&);
/// This is the maximum number of tiles per cluster, as measured on an H200: with more of them
/// neighbours drift apart as well.
inline constexpr int most_cluster_tiles = 4;

struct interleaved_launches {
  /// Lets blocks of the shape have `bytes` of shared memory; called once per device, before the
  /// first launch of such a shape.
  cudaError_t (*prepare)(const interleaved_shape&, std::size_t bytes);
  /// Finds how many clusters of the shape the device holds at a time; called after `prepare`.
  cudaError_t (*count)(const interleaved_shape&, int* clusters);
  cudaError_t (*solve)(const layout::geometry&, const solver::operands&, const interleaved_shape&,
                       cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
interleaved_launches interleaved_kernels(pivoting, boundary);

}  // namespace tridia::cuda
