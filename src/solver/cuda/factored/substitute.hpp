// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/cuda/thread_per_system.hpp"
#include "solver/executor.hpp"

#include <cuda_runtime_api.h>

#include <optional>

// Kernels solve with saved factors, so that only right-hand sides have to be moved: a warp loads
// some of them into shared memory, each of its lanes substitutes in one, in place, and x is stored.
// Other kernels factor few matrices, one block for each.
namespace tridia::cuda {

using namespace gpu;
using layout::geometry;
using solver::operands;

/// This is the maximum number of warps per block.
inline constexpr int most_warps = 8;

/// Describes how a warp copies its systems between device and shared memory.
struct system_copy {
  bool wide;         // lines by the TMA, or 16 bytes of neighbouring systems at a time, where
                     // the addresses turn out to allow it; or else element by element
  bool interleaved;  // neighbouring lanes copy neighbouring systems, `lanes` of them; or else rows
  int lanes;         // a power of two
};

/// Describes the work of a block: each warp has a tile of shared memory, and goes from one group of
/// systems to another on its own. A system is a right-hand side here.
struct substitute_shape {
  int rows;
  int systems;             // of a warp
  int warps;               // of a block
  bool lines;              // a system's rows are neighbours in the tile; or else a row's systems
  bool factors_in_shared;  // there is one matrix, and its factors are in shared memory
  int row_step;            // elements from a row to the next
  int pitch;               // and from a system to the next
  int front;               // and before the first one
  int tile;                // elements of a tile
  int loading;  // warps that load at the same time, a divisor of `warps`; 0: as they come
  system_copy input, output;
  std::size_t shared_bytes;
};

/// Returns the number of rows that a thread reads ahead; a tile, and factors in shared memory, have
/// room for as many before row 0 and after the last row, so that it need not ask where they end.
constexpr int rows_ahead(bool factors_in_shared, std::size_t value_bytes, int lower_values) {
  if (factors_in_shared) return value_bytes > 8 ? 4 : 8;
  const std::size_t row = value_bytes * static_cast<std::size_t>(lower_values);
  return row > 32 ? 4 : row > 16 ? 8 : 16;
}

/// Returns the shape for a problem, or nothing if its right-hand sides do not fit.
std::optional<substitute_shape> plan_substitution(const solver::task&, const device_limits&);

struct substitute_launches {
  /// Lets blocks have `shared_limit` bytes of shared memory; called once per device, before the
  /// first launch. Finds how many blocks of a shape a multiprocessor holds.
  cudaError_t (*prepare)(const substitute_shape&, std::size_t shared_limit, int* resident);
  cudaError_t (*substitute)(const geometry&, const operands&, const index_t* status,
                            const void* factor_values, const scan_instead&, const substitute_shape&,
                            index_t blocks, cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
substitute_launches substitute_kernels(pivoting, boundary);

/// Systems with fewer rows are factored by a thread each.
inline constexpr index_t least_rows_a_block = 64;

/// Holds the places of the tables for a scan (scan.hpp) of right-hand sides, which are made of the
/// factors of one regular matrix. `values` null: there are none.
struct table_memory {
  int* sound = nullptr;
  void *values = nullptr, *minus_products = nullptr;
  // This is cleared as well: the tile counter of a scan that is launched next, and begins early.
  unsigned* tile_counter = nullptr;
};

struct block_factor_launches {
  cudaError_t (*prepare)(std::size_t shared_limit);
  cudaError_t (*factor)(const geometry&, const operands&, index_t* status, void* factor_values,
                        const table_memory&, std::size_t shared_limit, cudaStream_t);
};

/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
block_factor_launches block_factor_kernels(pivoting, boundary);

}  // namespace tridia::cuda
