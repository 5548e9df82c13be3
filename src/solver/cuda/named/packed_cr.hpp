// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/default_parameters.hpp"

#include <algorithm>

// Register-packed cyclic reduction solves each system with one block.
namespace tridia::cuda {

using namespace gpu;

using solver::packing_depths;

/// Returns the maximum number of threads per block if each holds `depth` rows of values of `bytes`
/// bytes in registers: three values a row, and some registers for everything else (Davidson and
/// Owens 2011, equation 1; nvcc spills few registers with this number). A multiprocessor has four
/// sets of registers, which share the warps evenly.
constexpr int most_packed_threads(int depth, std::size_t bytes) {
  constexpr int registers = 65536, others = 52, granule = 8, even = 4 * warp_size, most = 1024;
  const int each = round_up(3 * depth * static_cast<int>(bytes / 4) + others, granule);
  return std::min(most, registers / each / even * even);
}

struct packed_shape {
  int depth, threads;
  std::size_t shared_bytes;
};

/// Returns the maximum number of rows of a system that a block solves.
constexpr index_t most_packed_rows(int depth, std::size_t bytes) {
  return index_t{depth} * most_packed_threads(depth, bytes);
}

/// Returns the shape for systems of at most so many rows: two sets of three values for each thread
/// are in shared memory.
constexpr packed_shape packed_shape_of(index_t rows, int depth, std::size_t bytes) {
  const auto with_rows = static_cast<int>((rows + depth - 1) / depth);
  const int threads = std::max(round_up(with_rows, warp_size), warp_size);
  return {depth, threads, static_cast<std::size_t>(threads) * 6 * bytes};
}

/// Plans the shape. Throws `unsupported` if a system does not fit.
packed_shape plan_packed(const task&, const device_limits&);

struct packed_launches {
  /// Prepares the kernel, and says how many registers a thread has.
  cudaError_t (*prepare)(int depth, std::size_t shared_bytes, int* registers);
  cudaError_t (*solve)(const geometry&, const operands&, const packed_shape&, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
packed_launches packed_kernels();

}  // namespace tridia::cuda
