// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"
#include "solver/cuda/planning.hpp"

#include <algorithm>

// Register-packed cyclic reduction, a block a system.
namespace tridia::cuda {

using namespace gpu;

inline constexpr int packing_depths[] = {2, 4, 8, 16, 32};

/// Threads of a block whose registers hold `depth` rows each of a value of `bytes`: three words a
/// row, and some for everything else (Davidson and Owens 2011, equation 1; as many as nvcc spills
/// few with). A multiprocessor has four sets of registers, which share the warps evenly.
constexpr int most_packed_threads(int depth, std::size_t bytes) {
  constexpr int registers = 65536, others = 52, granule = 8, even = 4 * warp_size, most = 1024;
  const int each = round_up(3 * depth * static_cast<int>(bytes / 4) + others, granule);
  return std::min(most, registers / each / even * even);
}

struct packed_shape {
  int depth, threads;
  std::size_t shared_bytes;
};

/// Throws `unsupported` where a system does not fit.
packed_shape plan_packed(const task&);

struct packed_launches {
  /// Says how many registers a thread has.
  cudaError_t (*prepare)(int depth, std::size_t shared_bytes, int* registers);
  cudaError_t (*solve)(const geometry&, const operands&, const packed_shape&, cudaStream_t);
};
/// For each value type; instantiated in the file of the kernels.
template <class V>
packed_launches packed_kernels();

}  // namespace tridia::cuda
