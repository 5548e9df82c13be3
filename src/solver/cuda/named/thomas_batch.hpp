// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

// The Thomas algorithm solves with one thread per system, on data that is interleaved in the
// workspace before and copied back after (cuThomasBatch, cuThomasVBatch).
namespace tridia::cuda {

/// Locates the rows of all lines in one array of the workspace. A ragged batch may be sorted: then
/// line order[i] is the i-th longest, and its row k lies at row_starts[k] + i.
struct interleaving {
  index_t lines, rows;        // rows of the longest
  index_t width;              // lines that are interleaved with each other
  index_t pitch;              // elements of the array; the workspace has four of them
  const index_t* order;       // null if lines are in their order
  const index_t* row_starts;  // likewise
};

interleaving plan_interleaving(const task&);
std::size_t interleaving_bytes(const task&, const interleaving&);

/// Holds the order of a ragged batch, longest first, and where the lines that have a row k begin.
struct sorted_batch {
  std::vector<index_t> order, row_starts;
};
sorted_batch sort_batch(const std::vector<index_t>& offsets, index_t right_sides);

/// Holds three steps, one launch each, which can be timed by themselves.
struct thomas_launches {
  cudaError_t (*interleave)(const geometry&, const operands&, const interleaving&, void* workspace,
                            cudaStream_t);
  cudaError_t (*solve)(const geometry&, const operands&, const interleaving&, void* workspace,
                       cudaStream_t);
  cudaError_t (*put_back)(const geometry&, const operands&, const interleaving&,
                          const void* workspace, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
thomas_launches thomas_kernels(boundary);

}  // namespace tridia::cuda
