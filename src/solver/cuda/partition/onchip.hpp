// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tile_schedule.hpp"
#include "layout/geometry.hpp"
#include "solver/cuda/backward/solution_bands.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/executor.hpp"

#include <cuda_runtime_api.h>

#include <optional>
#include <vector>

// These kernels solve systems that fit the chip: a block loads some of them into shared memory,
// each of its threads reduces a chunk of rows, trees of threads solve the interface
// (core/chunk.hpp), and x goes out.
namespace tridia::cuda {

using namespace gpu;
using layout::geometry;
using solver::operands;

/// Tells how arrays are moved.
enum class copy_mode {
  elements,    // one by one, whatever their layout
  lines,       // a system at a time, by the TMA
  pieces,      // likewise, where systems begin anywhere: but for the elements at their ends
  contiguous,  // all systems of a block at a time: they follow each other
};

/// Holds where a group begins, which is consecutive systems that a block solves as one.
struct group_start {
  index_t system, row;
};

/// Describes the work of a block, or of a cluster of blocks that share the rows of some systems. A
/// block's shared memory holds sub, diag, sup and each rhs of its part. If the systems are
/// concatenated, a group of them is what is called a system here.
struct onchip_shape {
  index_t rows;        // of a system; of the largest group
  int sides = 1;       // right-hand sides of a system
  bool apart = false;  // these begin anywhere, wherever systems do
  int blocks;          // that share a system
  int cluster = 1;     // of these, that run together; 1, or all of them and no more than `chunks`
  int block_rows;      // of a system in a block; the last one may have fewer
  int chunk_rows;      // of a thread, at most; odd, so that neighbours' rows lie in other banks
  int chunks;          // of a system in a block
  int systems;         // of a block
  int systems_a_warp;  // 1 if a system takes a warp or more
  int warps_a_system;  // 1 if a warp takes a system or more
  fast_divide by_chunk_rows, by_chunks, by_warps_a_system;
  int threads;
  int pitch;                       // elements of shared memory from one system to the next
  int array_pitch;                 // from one array to the next
  bool dense_input, dense_output;  // one piece, system after system
  copy_mode input, output;         // subject to the alignment of the pointers
  bool one_matrix = false;         // for all systems, which the first-level cache holds
  bool boxes;                      // whether the TMA moves a block's systems as a box, if it can
  bool interleaved;   // threads copy rows of neighbouring systems, whose number is a power of two
  unsigned per_rows;  // 2^32 / block_rows, rounded up: divides indices of the tile
  bool concatenated;  // a block's systems are solved as one
  int concatenated_systems;  // of a group; a ragged batch may have fewer in it
  int reach = warp_size;     // chunks that are so far apart end in different systems
  int beside = 1;            // groups of systems whose segments take turns
  tile_order order;          // in which blocks, or clusters, take systems that are not concatenated
  index_t group_count;
  const group_start* group_starts;  // and their end; in memory of the device; null if all are alike
  std::size_t shared_bytes;

  /// Returns the number of other blocks' statuses that a block has room for, an even number.
  TRIDIA_FN int received_statuses() const {
    return cluster > 1 ? (cluster * systems + 1) / 2 * 2 : 0;
  }
};

/// Holds what tuning decides.
struct onchip_tuning {
  int chunk_rows = 0;  // odd; 0: by rule
  int warps = 0;       // of a block, at least; 0: by rule
  int blocks = 0;      // that share a system; 0: by rule
  bool near = false;   // for about as many rows: a chunk is fitted to those that there are
};

/// Returns the shape for a problem, or nothing if it does not fit. `group_starts` of a ragged batch
/// is left null.
std::optional<onchip_shape> plan_onchip(const solver::task&, const onchip_tuning&,
                                        const device_limits&);

/// Returns the groups of a ragged batch, and their end: as many systems each as have room.
std::vector<group_start> cut_groups(const std::vector<index_t>& offsets, const onchip_shape&);

/// Computes what follows from the rows that a block has (`rows`, `blocks`, `block_rows`; if
/// `interleaved`, its systems as well): chunks of about `chunk_rows` rows, threads, the tile.
/// Returns whether it fits.
bool lay_out(onchip_shape&, const solver::task&, const onchip_tuning&, int chunk_rows,
             const device_limits&);

/// Cuts `block_rows` into chunks, and shares out the lanes of warps among them.
void cut(onchip_shape&, int chunk_rows);
/// Gives a block as many systems as `warps` warps take, unless they are `interleaved`, and threads
/// for them.
void fill_block(onchip_shape&, int warps);

struct onchip_launches {
  /// Lets blocks of the shape have `bytes` of shared memory; called once per device, before the
  /// first launch of such a shape.
  cudaError_t (*prepare)(const onchip_shape&, std::size_t bytes);
  cudaError_t (*solve)(const geometry&, const operands&, const onchip_shape&, cudaStream_t);
  /// Likewise, before the first launch of a kernel that forms gradients as well.
  cudaError_t (*prepare_forming)(const onchip_shape&, std::size_t bytes);
  cudaError_t (*solve_and_form)(const geometry&, const operands&, const onchip_shape&,
                                const solution_bands&, const solver::product_operands&,
                                cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
onchip_launches onchip_kernels(pivoting, boundary);

}  // namespace tridia::cuda
