// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

// Cyclic reduction and its hybrids in shared memory, a block a system.
namespace tridia::cuda {

/// Of a block of these kernels.
inline constexpr int most_line_threads = 1024;
/// Rows of a system that PCR leaves to a thread, if the caller does not say (measured at 1024).
inline constexpr int default_thomas_rows = 16;

struct cyclic_shape {
  tridia::algorithm algorithm;  // one of these, or hierarchical: PCR-Thomas if a system fits
  int switch_point;
  int threads;
  int pitch, spare_pitch;  // words of one array of the equations, and of the spare ones
  std::size_t shared_bytes;
};

/// Throws `unsupported` where a system does not fit.
cyclic_shape plan_cyclic(const task&, std::size_t shared_bytes);

/// Threads of a block for systems of so many rows, each with something to do at first.
int line_threads(index_t rows);
/// As many as registers allow all the blocks together that shared memory allows on a
/// multiprocessor, where that is fewer: the barriers of small blocks stop less, and one computes
/// while others load.
int line_threads(index_t rows, std::size_t block_bytes, std::size_t shared_bytes);

struct cyclic_launches {
  cudaError_t (*prepare)(tridia::algorithm, std::size_t shared_bytes);
  cudaError_t (*solve)(const geometry&, const operands&, const cyclic_shape&, cudaStream_t);
};
/// For each value type; instantiated in the file of the kernels.
template <class V>
cyclic_launches cyclic_kernels();

}  // namespace tridia::cuda
