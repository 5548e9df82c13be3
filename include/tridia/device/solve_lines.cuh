// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/block_solver.cuh"
#include "tridia/device/detail/block_lines.cuh"
#include "tridia/device/detail/cluster_lines.cuh"
#include "tridia/device/detail/launch.cuh"
#include "tridia/device/detail/long_lines.cuh"
#include "tridia/device/line_grid.cuh"
#include "tridia/inputs.hpp"

#include <cuda_runtime_api.h>

namespace tridia::device {

using tridia::inputs, tridia::line_inputs;

namespace detail {

template <class... Shapes>
struct shapes {};

/// Solves lines by the first way that has room for them and fits the device: by blocks of some
/// shapes, by clusters of blocks, by blocks of further shapes where there are no clusters, or in
/// parts.
template <class Problem, neighbours Order>
class lines_by_shape {
 public:
  template <class... Blocks, class... Clusters, class... More, int Rank, int Axis, class Inputs,
            class MakeRow, class Take>
  static cudaError_t solve(shapes<Blocks...>, shapes<Clusters...>, shapes<More...>,
                           const line_grid<Rank, Axis>& g, const Inputs& in,
                           const MakeRow& make_row, const Take& take, cudaStream_t stream,
                           int* status) {
    for (const int size : g.size) {
      if (size < 0) return cudaErrorInvalidValue;
    }
    if (g.lines() == 0 || g.rows() == 0) return cudaSuccess;
    device_facts device;
    cudaError_t result = device.find();
    if (result != cudaSuccess) return result;
    const bool done = (solve_by_blocks<Problem, Blocks, Order>(device, result, g, in, make_row,
                                                               take, stream, status) ||
                       ...) ||
                      (solve_by_clusters<Problem, Clusters, Order>(device, result, g, in, make_row,
                                                                   take, stream, status) ||
                       ...) ||
                      (solve_by_blocks<Problem, More, Order>(device, result, g, in, make_row, take,
                                                             stream, status) ||
                       ...);
    if (done) return result;
    constexpr neighbours order = Axis == Rank - 1 ? neighbours::rows : neighbours::lines;
    using part = shape_for<(order == neighbours::lines ? 256 : 1024), order>;
    return long_lines<typename Problem::value, part, Problem::ends, Problem::interchanges,
                      Problem::sides, order>::solve(g, rows_of(make_row, in), take, stream, status);
  }

 private:
  template <class MakeRow, class Inputs>
  static tridia::detail::rows_of_inputs<MakeRow, Inputs> rows_of(const MakeRow& make_row,
                                                                 const Inputs& in) {
    return {make_row, in};
  }
};

/// Shapes for rows that threads make from memory. Where several right-hand sides or complex numbers
/// need more shared memory than there is for the longest lines across, fewer of them share a block.
template <class Problem, neighbours Order>
struct shapes_from_memory {
  static constexpr neighbours O = Order;
  using of_blocks =
      shapes<shape_for<32, O>, shape_for<64, O>, shape_for<72, O>, shape_for<128, O>,
             shape_for<144, O>, shape_for<256, O>, shape_for<288, O>, shape_for<512, O>,
             shape_for<576, O>, shape_for<1024, O>, shape_for<1152, O>, line_shape<16, 64, 1>>;
  using of_clusters = shapes<cluster_shape<9, 128, 1, 8>>;
  using more = shapes<>;
};
template <class Problem>
struct shapes_from_memory<Problem, neighbours::lines> {
  static constexpr neighbours O = neighbours::lines;
  static constexpr int lines = 128 / static_cast<int>(sizeof(typename Problem::value));
  using of_blocks = shapes<shape_for<32, O>, shape_for<64, O>, shape_for<72, O>, shape_for<128, O>,
                           shape_for<144, O>, shape_for<256, O>, shape_for<288, O>>;
  using of_clusters = shapes<cluster_shape<16, 16, lines, 8>>;
  using more = shapes<shape_for<512, O>, shape_for<576, O>, shape_for<1024, O>, shape_for<1152, O>,
                      line_shape<16, 64, 4>>;
};

/// Shapes for rows that are made from inputs on chip: chunks of an odd number of rows begin in
/// other banks, and a warp alone needs no barrier. `Wide`: a row takes six words and more of shared
/// memory.
template <class Problem, neighbours Order, bool Wide>
struct shapes_from_chip {
  static constexpr int whole_warp(int threads) { return threads < 32 ? 32 / threads : 1; }
  template <int Rows, int Threads>
  using shape = line_shape<Rows, Threads, whole_warp(Threads)>;
  using of_blocks =
      shapes<shape<9, 4>, shape<9, 8>, shape<13, 8>, shape<9, 16>, shape<13, 16>, shape<9, 32>,
             shape<13, 32>, shape<17, 32>, shape<25, 32>, shape<17, 64>>;
  using of_clusters = shapes<cluster_shape<17, 64, 1, 8>>;
};
/// A block has 128 bytes of each row of lines across, a line of the L2 cache.
template <class Problem>
struct shapes_from_chip<Problem, neighbours::lines, false> {
  static constexpr int lines = 128 / static_cast<int>(sizeof(typename Problem::value));
  template <int Rows, int Threads>
  using shape = line_shape<Rows, Threads, lines>;
  using of_blocks = shapes<shape<9, 4>, shape<17, 4>, shape<13, 8>, shape<9, 16>, shape<13, 16>,
                           shape<16, 16>, shape<17, 16>>;
  using of_clusters = shapes<cluster_shape<17, 16, lines, 4>, cluster_shape<17, 32, lines / 2, 8>>;
};
/// A block has half of that of wide rows, so that a multiprocessor holds several blocks.
template <class Problem>
struct shapes_from_chip<Problem, neighbours::lines, true> {
  static constexpr int lines = 64 / static_cast<int>(sizeof(typename Problem::value));
  using of_blocks = shapes<line_shape<9, 4, 2 * lines>, line_shape<17, 4, 2 * lines>,
                           line_shape<17, 8, lines>, line_shape<17, 16, lines>>;
  using of_clusters = shapes<cluster_shape<17, 16, lines, 4>, cluster_shape<17, 32, lines / 2, 8>>;
};

}  // namespace detail

/// Solves a line along `Axis` through every point of a grid, in kernels of shapes that suit the
/// number of rows and the axis. `make_row(p, fields...)` returns `row<T, Sides>` of a point, and
/// `take(p, x)` gets its x, a T or `const T (&)[Sides]`: device functions that are copied to the
/// kernel, such as lambdas that hold `field`s by value. For each of the inputs (tridia/inputs.hpp)
/// `make_row` gets a function of a point, which gives elements at p and at the points before and
/// behind it on the line.
///
/// `make_row` is pure. It is called once for each point, and once more where a line is solved again
/// with interchanges, or is reduced in parts. x is given out once, after all rows of its line have
/// been made; of lines in parts it may overwrite only what its own row is made from. A block of
/// 227 KiB holds lines of up to 1088 rows of the last axis and 272 of others, and, from compute
/// capability 9.0 on, a cluster 8704 and 4352: fewer where a block has less, or where more inputs,
/// right-hand sides or pivoting need more. Longer lines are reduced in parts.
///
/// Nothing is waited for. `status_of_lines`, if it is not null, is device memory for the `status`
/// of each line; lines are numbered along the other axes, the last of them the fastest. A line
/// without a solution does not affect others, and its x is NaN (of a line that does not fit a
/// block, x may be finite in parts where others overflow). Lines in parts need memory for some
/// hundredths of their rows, from the pool of `stream` (cudaMallocAsync). Returns
/// cudaErrorInvalidValue for a negative extent, or what a call of CUDA returned.
template <class T, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          int Rank, int Axis, class MakeRow, class Take, class... Fields>
cudaError_t solve_lines(const line_grid<Rank, Axis>& g, const line_inputs<Fields...>& in,
                        const MakeRow& make_row, const Take& take, cudaStream_t stream = nullptr,
                        int* status_of_lines = nullptr) {
  constexpr neighbours order = Axis == Rank - 1 ? neighbours::chunks_then_rows : neighbours::lines;
  using problem = detail::line_problem<T, B, P, Sides>;
  constexpr bool wide =
      detail::row_bytes<problem, Rank, Fields...> >= 6 * static_cast<int>(sizeof(T));
  using shapes = detail::shapes_from_chip<problem, order, wide>;
  return detail::lines_by_shape<problem, order>::solve(
      typename shapes::of_blocks{}, typename shapes::of_clusters{}, detail::shapes<>{}, g, in,
      make_row, take, stream, status_of_lines);
}

/// Solves lines as `solve_lines` above does, without inputs: `make_row(p)` reads memory itself,
/// wherever it likes. A block holds lines of up to 1152 rows of the last axis and 288 of others
/// (1152 as well before compute capability 9.0), a cluster 9216 and 2048.
template <class T, boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          int Rank, int Axis, class MakeRow, class Take>
cudaError_t solve_lines(const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take,
                        cudaStream_t stream = nullptr, int* status_of_lines = nullptr) {
  constexpr neighbours order = Axis == Rank - 1 ? neighbours::rows : neighbours::lines;
  using problem = detail::line_problem<T, B, P, Sides>;
  using shapes = detail::shapes_from_memory<problem, order>;
  return detail::lines_by_shape<problem, order>::solve(
      typename shapes::of_blocks{}, typename shapes::of_clusters{}, typename shapes::more{}, g,
      inputs(), make_row, take, stream, status_of_lines);
}

}  // namespace tridia::device
