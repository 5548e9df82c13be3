// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/block_solver.cuh"
#include "tridia/device/detail/launch.cuh"
#include "tridia/device/detail/staged_inputs.cuh"
#include "tridia/device/line_grid.cuh"

namespace tridia::device::detail {

/// The shape of blocks: `Lines` lines of up to `Rows` x `Threads` rows.
template <int Rows, int Threads, int Lines>
struct line_shape {
  static constexpr int rows = Rows, threads = Threads, lines = Lines;
  static constexpr int most_rows = Rows * Threads;
};
template <int Rows, neighbours Order, class S = suggested<Rows, Order>>
using shape_for = line_shape<S::rows_a_thread, S::threads_a_line, S::lines_a_block>;

/// What is asked of a solve, but for its size.
template <class T, boundary B, pivoting P, int Sides>
struct line_problem {
  using value = T;
  static constexpr boundary ends = B;
  static constexpr pivoting interchanges = P;
  static constexpr int sides = Sides;
};

/// Lines that a block of a shape holds.
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class Inputs>
struct block_of_lines;
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class... Fields>
struct block_of_lines<Problem, Shape, Order, Rank, Axis, line_inputs<Fields...>> {
  using T = typename Problem::value;
  static constexpr pivoting P = Problem::interchanges;
  using solver = block_solver<T, Shape::rows, Shape::threads, Shape::lines, Problem::ends, P,
                              Problem::sides, Order>;
  using group = thread_group<Shape::threads, Shape::lines, Order>;
  using rows_memory = decltype(solver::storage::rows);
  /// Inputs are where rows are kept unless lines may be solved again.
  struct storage {
    staged_inputs<rows_memory, P == pivoting::none, 0, Rank, Axis, Fields...> inputs;
    typename solver::storage of_solver;
  };

  template <class MakeRow, class Take>
  static __device__ __forceinline__ void run(const line_grid<Rank, Axis>& g,
                                             const line_inputs<Fields...>& in,
                                             const MakeRow& make_row, const Take& take,
                                             int* status_of_lines) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& m = *reinterpret_cast<storage*>(memory);
    const int n = g.rows();
    const line_of<Rank, Axis> line(g, std::int64_t{blockIdx.x} * Shape::lines + group::line());
    const auto point_at = [&](int k) { return line.point_at(k); };
    const auto solve = [&](auto row_of) {
      const status s =
          solver(m.of_solver)
              .solve(
                  n, row_of, [&](int k, const auto& x) { take(point_at(k), x); }, line.exists());
      line.say(status_of_lines, s);
    };
    if constexpr (sizeof...(Fields) == 0) {
      solve([&](int k) { return row<T, Problem::sides>(make_row(point_at(k))); });
    } else {
      const part_of_line all{n, 0, line.exists() ? n : 0, Problem::ends == boundary::periodic};
      with_staged_rows<Problem, Shape, group>(m.inputs, m.of_solver.rows, in, all, point_at,
                                              make_row, solve);
    }
  }
};

template <class Block, int Rank, int Axis, class Inputs, class MakeRow, class Take>
__global__ void __launch_bounds__(Block::group::threads)
    solve_in_blocks(const __grid_constant__ line_grid<Rank, Axis> g,
                    const __grid_constant__ Inputs in, const __grid_constant__ MakeRow make_row,
                    const __grid_constant__ Take take, int* status_of_lines) {
  Block::run(g, in, make_row, take, status_of_lines);
}

/// Solves lines by blocks of a shape, unless they are too long for it or need too much memory.
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class Inputs,
          class MakeRow, class Take>
bool solve_by_blocks(const device_facts& device, cudaError_t& result,
                     const line_grid<Rank, Axis>& g, const Inputs& in, const MakeRow& make_row,
                     const Take& take, cudaStream_t stream, int* status) {
  using block = block_of_lines<Problem, Shape, Order, Rank, Axis, Inputs>;
  if (g.rows() > Shape::most_rows ||
      sizeof(typename block::storage) > static_cast<std::size_t>(device.shared_bytes)) {
    return false;
  }
  result = launch(solve_in_blocks<block, Rank, Axis, Inputs, MakeRow, Take>,
                  (g.lines() + Shape::lines - 1) / Shape::lines, 1, block::group::threads,
                  sizeof(typename block::storage), stream, g, in, make_row, take, status);
  return true;
}

}  // namespace tridia::device::detail
