// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/launch.cuh"
#include "layout/line_status.hpp"
#include "solver/equations.hpp"

// The algorithms with one block per system share this code: lines are assigned to blocks, a block
// is the team that core/cyclic_reduction.hpp asks for, and x is stored with a status.
namespace tridia::cuda {

using namespace gpu;
using layout::geometry;
using solver::input_equations;
using solver::line_place;
using solver::typed_operands;

struct block_team {
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ void wait() const { __syncthreads(); }
  __device__ __forceinline__ bool all(bool mine) const { return __syncthreads_and(mine) != 0; }
};

/// Returns the number of blocks for lines: one each, up to the size of a grid.
inline unsigned blocks_for_lines(index_t lines) {
  return static_cast<unsigned>(lines < most_grid ? lines : most_grid);
}
template <class Solve>
__device__ __forceinline__ void for_each_line_of_block(const geometry& g, Solve solve) {
  const index_t lines = g.matrices.size * g.right_sides.size;
  for (index_t line = blockIdx.x; line < lines; line += gridDim.x) {
    solve(line_place(g, line));
    __syncthreads();
  }
}

/// Returns the status of a line that has no finite solution. It is not inlined, since the kernels
/// need their registers.
template <class V, boundary B>
__device__ __noinline__ index_t diagnose_line(const geometry& g, const typed_operands<V>& o,
                                              index_t matrix, index_t side) {
  return solver::diagnose_system<V, pivoting::none, B>(g, o, matrix, side);
}

/// Enters the status of a line.
__device__ __forceinline__ void enter_line_status(const geometry& g, const line_place& line,
                                                  index_t* statuses, index_t status) {
  layout::enter_line_status(statuses + line.at[layout::status], layout::shares_status(g), status);
}

/// Enters the status of a line whose solution is (not) finite, before x takes the place of an
/// input.
template <class V, boundary B>
__device__ __forceinline__ void report_line(const geometry& g, const typed_operands<V>& o,
                                            const line_place& line, bool finite) {
  if (o.status == nullptr) return;
  const index_t status = finite ? 0 : diagnose_line<V, B>(g, o, line.matrix, line.side);
  enter_line_status(g, line, o.status, status);
}

/// Enters the status of a line. Called by every thread of the block that has solved it, before x is
/// stored. Returns whether all of x is `finite`; if not, NaN is to be stored instead.
template <class V>
__device__ __forceinline__ bool report_block(const geometry& g, const typed_operands<V>& o,
                                             const line_place& line, bool finite) {
  const bool all = __syncthreads_and(finite);
  if (threadIdx.x == 0) report_line<V, boundary::regular>(g, o, line, all);
  // The inputs have been looked at once more; x may be one of them.
  if (!all) __syncthreads();
  return all;
}

}  // namespace tridia::cuda
