// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/block_solver.cuh"
#include "tridia/device/detail/launch.cuh"
#include "tridia/device/detail/long_lines.cuh"
#include "tridia/device/line_grid.cuh"

#include <cuda_runtime_api.h>

namespace tridia::device {

namespace detail {

/// Solves lines that a block holds, `Lines` of them each.
template <class Solver, class T, int Sides, int Lines, int Rank, int Axis, class MakeRow,
          class Take>
__global__ void __launch_bounds__(Solver::threads)
    solve_in_blocks(const __grid_constant__ line_grid<Rank, Axis> g,
                    const __grid_constant__ MakeRow make_row, const __grid_constant__ Take take,
                    int* status_of_lines) {
  extern __shared__ __align__(16) unsigned char memory[];
  Solver solver(*reinterpret_cast<typename Solver::storage*>(memory));
  const line_of<Rank, Axis> line(g, std::int64_t{blockIdx.x} * Lines + Solver::line());
  const status s = solver.solve(
      g.rows(), [&](int k) { return row<T, Sides>(make_row(line.point_at(k))); },
      [&](int k, const auto& x) { take(line.point_at(k), x); }, line.exists());
  line.say(status_of_lines, s);
}

/// The shape of blocks: `Lines` lines of up to `Rows` x `Threads` rows.
template <int Rows, int Threads, int Lines>
struct line_shape {
  static constexpr int rows = Rows, threads = Threads, lines = Lines;
};
template <int Rows, neighbours Order, class S = suggested<Rows, Order>>
using shape_for = line_shape<S::rows_a_thread, S::threads_a_line, S::lines_a_block>;

/// Solves lines by the first of the shapes that has room for them and fits the device, or else in
/// parts of the shape `Part`.
template <class T, boundary B, pivoting P, int Sides, neighbours Order, class Part, class... Shapes>
class lines_by_shape {
 public:
  template <class... Arguments>
  static cudaError_t solve(int rows, const Arguments&... arguments) {
    int shared = 0;
    cudaError_t result = most_shared(&shared);
    if (result != cudaSuccess) return result;
    const bool in_blocks =
        (try_shape<Shapes>(rows, static_cast<std::size_t>(shared), result, arguments...) || ...);
    return in_blocks ? result : long_lines<T, Part, B, P, Sides, Order>::solve(arguments...);
  }

 private:
  template <class Shape, int Rank, int Axis, class MakeRow, class Take>
  static bool try_shape(int rows, std::size_t shared, cudaError_t& result,
                        const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take,
                        cudaStream_t stream, int* status) {
    using solver = block_solver<T, Shape::rows, Shape::threads, Shape::lines, B, P, Sides, Order>;
    if (rows > solver::max_rows || solver::shared_bytes > shared) return false;
    result = launch(solve_in_blocks<solver, T, Sides, Shape::lines, Rank, Axis, MakeRow, Take>,
                    (g.lines() + Shape::lines - 1) / Shape::lines, solver::threads,
                    solver::shared_bytes, stream, g, make_row, take, status);
    return true;
  }
};

/// Where several right-hand sides or complex numbers need more shared memory than there is for the
/// longest lines across, fewer of them share a block.
template <class T, boundary B, pivoting P, int Sides, neighbours O>
using shaped_lines = lines_by_shape<
    T, B, P, Sides, O, shape_for<(O == neighbours::lines ? 256 : 1024), O>,  // of parts
    shape_for<32, O>, shape_for<64, O>, shape_for<72, O>, shape_for<128, O>, shape_for<144, O>,
    shape_for<256, O>, shape_for<288, O>, shape_for<512, O>, shape_for<576, O>, shape_for<1024, O>,
    shape_for<1152, O>, line_shape<16, 64, O == neighbours::lines ? 4 : 1>>;

}  // namespace detail

/// Solves a line along `Axis` through every point of a grid, in kernels of shapes that suit the
/// number of rows and the axis. `make_row(p)` returns `row<T, Sides>` of a point, and `take(p, x)`
/// gets its x, a T or `const T (&)[Sides]`: device functions that are copied to the kernel, such as
/// lambdas that hold `field`s by value. `make_row` is pure. It is called once for each point, and
/// once more where a line is solved again with interchanges, or does not fit a block. x is given
/// out once, after all rows of its line have been made; where lines do not fit a block (more than
/// 1152 rows, or less shared memory) it may overwrite only what its own row is made from.
///
/// Nothing is waited for. `status_of_lines`, if it is not null, is device memory for the `status`
/// of each line; lines are numbered along the other axes, the last of them the fastest. A line
/// without a solution does not affect others, and its x is NaN (of a line that does not fit a
/// block, x may be finite in parts where others overflow). Lines that do not fit a block need
/// memory for some hundredths of their rows, from the pool of `stream` (cudaMallocAsync). Returns
/// cudaErrorInvalidValue for a negative extent, or what a call of CUDA returned.
template <class T, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          int Rank, int Axis, class MakeRow, class Take>
cudaError_t solve_lines(const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take,
                        cudaStream_t stream = nullptr, int* status_of_lines = nullptr) {
  for (const int size : g.size) {
    if (size < 0) return cudaErrorInvalidValue;
  }
  if (g.lines() == 0 || g.rows() == 0) return cudaSuccess;
  constexpr neighbours order = Axis == Rank - 1 ? neighbours::rows : neighbours::lines;
  return detail::shaped_lines<T, B, P, Sides, order>::solve(g.rows(), g, make_row, take, stream,
                                                            status_of_lines);
}

}  // namespace tridia::device
