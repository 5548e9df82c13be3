// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/interleaved.hpp"
#include "solver/cuda/partition/onchip.hpp"

// Systems too long for the chip are solved in several passes (core/chunk.hpp, once more): a block
// reduces a *segment*, which is as much of a system as it holds, to its equations; blocks reduce
// those of neighbouring segments, level by level, until one block closes a system; then the
// interface unknowns go down the levels, and every segment is loaded again and expanded. Nine words
// a row are moved. A last launch fills x of systems that have failed with NaN.
namespace tridia::cuda {

using namespace gpu;

inline constexpr int most_levels = 32;

/// Blocks above the rows have at least so many warps for short systems, and so many systems at
/// most.
inline constexpr int level_warps = 4, most_level_systems = level_warps * warp_size;

/// Describes a level above the rows. Its nodes are the blocks of the level below it; nodes of one
/// system follow each other, and so do systems.
struct segments_level {
  onchip_shape shape;               // rows are nodes, a chunk is one of them; there is no tile
  std::size_t equations, unknowns;  // where they lie in the workspace, one a node
};

/// These are the values of the equations at both borders of a segment.
inline constexpr std::size_t border_values = 6;

struct segments_shape {
  int sides;                  // right-hand sides of a system
  bool in_boxes;              // which of the two says how a block has a segment
  onchip_shape of_lines;      // of a system, or of some
  interleaved_shape of_rows;  // of neighbouring systems, moved in boxes
  bool in_chain;              // launches may begin before the one before has ended
  int levels;                 // one at least; a block of the last one closes systems
  segments_level level[most_levels];
  // These lie in the workspace: an entry a line, a system with one right-hand side; what the first
  // pass has found; and, of each segment of a system, its state, two of its entries, and the
  // equations at its borders.
  std::size_t system_states, overflows, found, segment_states, edges, borders;
  std::size_t bytes;  // of the workspace, aligned
};

/// Holds what tuning decides; 0: by rule.
struct segments_tuning {
  int rows = 0;        // of a segment
  int chunk_rows = 0;  // odd
  int nodes = 0;       // of a block above the rows, two at least
};

/// Returns the shape for a problem, or nothing if there is none.
std::optional<segments_shape> plan_segments(const solver::task&, const segments_tuning&,
                                            const device_limits&);

/// Describes systems of one right-hand side, or of several that belong to one matrix.
struct side_groups {
  /// Locates systems by their first right-hand side. Where they have several, statuses are the
  /// numbers of lines: matrix by matrix, the right-hand sides of each one after another.
  geometry first;
  int valid = 1;                     // right-hand sides; the last one stands for those beyond
  index_t rhs_step = 0, x_step = 0;  // from one to the next, in elements
  index_t line_step = 0;             // and in lines
  index_t rhs_begin = 0, x_begin = 0, line_begin = 0;

  [[nodiscard]] index_t offset(layout::array a, int side) const {
    const index_t steps = side < valid ? side : valid - 1;
    return a == layout::rhs ? rhs_begin + steps * rhs_step : x_begin + steps * x_step;
  }
};

/// Returns how many right-hand sides of a matrix the kernels solve together.
constexpr int sides_together(std::size_t value_bytes) { return value_bytes == 16 ? 2 : 4; }

/// Describes a solve of long systems that have several right-hand sides each: of as many whole
/// groups of them as begin at multiples of 16 bytes, of other whole groups, and of what is left.
struct sides_shape {
  struct part {
    side_groups groups;
    segments_shape shape;
  };
  int count;
  part parts[3];
  std::size_t bytes;  // of the workspace, which the parts use one after another
};

/// Returns the shape for a problem with several right-hand sides a matrix and without pivoting, or
/// nothing if there is none.
std::optional<sides_shape> plan_sides(const solver::task&, const segments_tuning&,
                                      const device_limits&);

struct sides_launches {
  /// Lets blocks have `bytes` of shared memory; called once per device, before the first launch.
  cudaError_t (*prepare)(std::size_t bytes);
  cudaError_t (*solve)(const geometry&, const operands&, const sides_shape&, std::byte* workspace,
                       cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
sides_launches sides_kernels(boundary);

/// Holds the coupling of systems that are parts of others to the rows outside. Values of
/// `core::chunk` are `batch_size` systems together, as distributed/subdomain/line_batches.hpp says
/// of lines.
struct segment_coupling {
  bool before, after;  // whether there are rows on either side
  // These entries couple the rows here to those, one per system; null if they are where the rows
  // have them.
  const void *entries_before, *entries_after;
  void* equations;       // that reducing writes
  const void* unknowns;  // that expanding reads
  index_t batch_size;
  index_t* found;  // an entry a system: what is found of it, as local_status.hpp says
};

struct segments_launches {
  /// Lets blocks have `bytes` of shared memory; called once per device, before the first launch.
  cudaError_t (*prepare)(std::size_t bytes);
  cudaError_t (*solve)(const geometry&, const operands&, const segments_shape&,
                       std::byte* workspace, cudaStream_t);
  /// These two reduce systems whose other rows are elsewhere to their equations, and expand them
  /// from their interface unknowns.
  cudaError_t (*reduce_local)(const geometry&, const operands&, const segments_shape&,
                              const segment_coupling&, std::byte* workspace, cudaStream_t);
  cudaError_t (*expand_local)(const geometry&, const operands&, const segments_shape&,
                              const segment_coupling&, std::byte* workspace, cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
segments_launches segments_kernels(pivoting, boundary);

}  // namespace tridia::cuda
