// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/block_lines.cuh"
#include "tridia/device/detail/line_part.cuh"

#include <cooperative_groups.h>

// Lines that are longer than a block takes, on devices of compute capability 9.0 on: the blocks of
// a cluster have a part of them each, and show each other its equations.
namespace tridia::device::detail {

/// The shape of each of up to `Blocks` blocks that share their lines.
template <int Rows, int Threads, int Lines, int Blocks>
struct cluster_shape : line_shape<Rows, Threads, Lines> {
  static constexpr int most_blocks = Blocks;
};

/// A part of each of some lines in a block of a cluster.
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class Inputs>
class block_of_cluster;
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class... Fields>
class block_of_cluster<Problem, Shape, Order, Rank, Axis, line_inputs<Fields...>> {
  using T = typename Problem::value;
  static constexpr boundary B = Problem::ends;
  static constexpr pivoting P = Problem::interchanges;
  static constexpr int sides = Problem::sides;
  using values = sides_of<T, sides>;
  using chunk = core::chunk<T, P, values>;

 public:
  using group = thread_group<Shape::threads, Shape::lines, Order>;

 private:
  using part = line_part<T, P, values, group>;
  using equations = typename part::equations;
  using unknowns = typename part::unknowns;
  using memory = rows_memory<T, Shape::rows, Shape::threads, Shape::lines, P, sides, Order>;
  static constexpr int lanes_a_line = 8;
  // Without inputs too (docs/gpu/lab-notes.md).
  static constexpr bool in_lines = sizeof...(Fields) > 0 || Order == neighbours::lines;
  static_assert(Shape::most_blocks <= lanes_a_line &&
                group::threads >= lanes_a_line * Shape::lines);

 public:
  // Aligned, so that equations behind it are: loads of four words do not reach back into it.
  struct alignas(16) storage {
    staged_inputs<memory, P == pivoting::none, 0, Rank, Axis, Fields...> inputs;
    memory rows;
    typename group::memory group_memory;
    equations of_warps[group::warps];
    typename part::exchange_memory exchange;
    unknowns found[Shape::lines];
    // Equations of each block's part follow, as many as there are blocks: room for eight may keep a
    // second block off the multiprocessor.
    __device__ __forceinline__ equations& of_part(int block, int line) {
      return reinterpret_cast<equations*>(this + 1)[block * Shape::lines + line];
    }
  };
  static constexpr std::size_t bytes(int blocks) {
    return sizeof(storage) + static_cast<std::size_t>(blocks) * Shape::lines * sizeof(equations);
  }

  template <class MakeRow, class Take>
  static __device__ __forceinline__ void run(const line_grid<Rank, Axis>& g,
                                             const line_inputs<Fields...>& in,
                                             const MakeRow& make_row, const Take& take,
                                             int* status_of_lines) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char all[];
    auto& m = *reinterpret_cast<storage*>(all);
    const auto cluster = cooperative_groups::this_cluster();
    cluster.barrier_arrive();
    const int blocks = static_cast<int>(cluster.num_blocks());
    const int rank = static_cast<int>(cluster.block_rank());
    const int share = (g.rows() + blocks - 1) / blocks, begin = rank * share;
    const int here = min(g.rows() - begin, share);
    const line_of<Rank, Axis> line(
        g, std::int64_t{blockIdx.x / static_cast<unsigned>(blocks)} * Shape::lines + group::line());
    const auto point_at = [&](int k) { return line.point_at(k); };
    const auto solve = [&](auto row_of) {
      thread_rows<T, Shape::rows, Shape::threads, Shape::lines, B, P, sides, Order,
                  decltype(row_of), in_lines>
          own(m.rows, row_of, {g.rows(), begin, line.exists() ? here : 0}, group::chunk(),
              group::thread());
      own.stage();
      if constexpr (own.by.made) group::wait();
      cuda::growth_monitor<false, false> ignored;
      const cuda::chunk_place place = group::place((here + Shape::rows - 1) / Shape::rows);
      part whole(m.of_warps, m.exchange, place);
      const equations e = whole.template reduce<true>(own, own.count(), ignored, ignored);
      cluster.barrier_wait();
      if (group::interface_chunk() == 0) {
        equations* const mine = &m.of_part(rank, group::interface_line());
        for (int b = 0; b < blocks; ++b) *cluster.map_shared_rank(mine, b) = e;
      }
      cluster.sync();
      close(m, rank, blocks);
      __syncthreads();
      const bool finite = whole.expand(own, own.count(), m.found[group::interface_line()]);
      const bool good = !group::any_of_line(!finite, false, m.group_memory);
      own.give(good, [&](int k, const auto& x) { take(point_at(k), x); });
      if (!good && group::chunk() == 0) line.say(status_of_lines, unsolved);
    };
    if constexpr (sizeof...(Fields) == 0) {
      solve([&](int k) { return row<T, sides>(make_row(point_at(k))); });
    } else {
      const part_of_line mine{g.rows(), begin, line.exists() ? here : 0, B == boundary::periodic};
      with_staged_rows<Problem, Shape, group>(m.inputs, m.rows, in, mine, point_at, make_row,
                                              solve);
    }
#endif
  }

 private:
  /// Finds the unknowns of this block's part of every line, by eight lanes a line.
  static __device__ __forceinline__ void close(storage& m, int rank, int blocks) {
    const int lane = static_cast<int>(threadIdx.x) % lanes_a_line;
    const int line = static_cast<int>(threadIdx.x) / lanes_a_line;
    const int at = lane < blocks ? lane : -1;
    equations e{};
    if (at >= 0 && line < Shape::lines) e = m.of_part(at, line);
    cuda::warp_level<T, P, values> level(at, blocks);
    cuda::growth_monitor<false, false> ignored;
    const unknowns u = level.down(chunk::template close<B>(level.up(e, ignored)));
    if (at == rank && line < Shape::lines) m.found[line] = u;
  }
};

template <class Block, int Rank, int Axis, class Inputs, class MakeRow, class Take>
__global__ void __launch_bounds__(Block::group::threads)
    solve_in_clusters(const __grid_constant__ line_grid<Rank, Axis> g,
                      const __grid_constant__ Inputs in, const __grid_constant__ MakeRow make_row,
                      const __grid_constant__ Take take, int* status_of_lines) {
  Block::run(g, in, make_row, take, status_of_lines);
}

/// Solves lines by clusters of blocks of a shape, unless they are too long for these or the device
/// has none.
template <class Problem, class Shape, neighbours Order, int Rank, int Axis, class Inputs,
          class MakeRow, class Take>
bool solve_by_clusters(const device_facts& device, cudaError_t& result,
                       const line_grid<Rank, Axis>& g, const Inputs& in, const MakeRow& make_row,
                       const Take& take, cudaStream_t stream, int* status) {
  using block = block_of_cluster<Problem, Shape, Order, Rank, Axis, Inputs>;
  const int blocks = (g.rows() - 1) / Shape::most_rows + 1;
  if (device.capability < 90 || blocks > Shape::most_blocks ||
      block::bytes(blocks) > static_cast<std::size_t>(device.shared_bytes)) {
    return false;
  }
  // Code that was compiled for an earlier capability, whatever it runs on, knows of no clusters.
  const auto kernel = solve_in_clusters<block, Rank, Axis, Inputs, MakeRow, Take>;
  cudaFuncAttributes attributes{};
  result = cudaFuncGetAttributes(&attributes, kernel);
  if (result == cudaSuccess && attributes.ptxVersion < 90) return false;
  if (result == cudaSuccess && status != nullptr) {
    result = cudaMemsetAsync(status, 0, static_cast<std::size_t>(g.lines()) * sizeof(int), stream);
  }
  if (result == cudaSuccess) {
    result =
        launch(kernel, (g.lines() + Shape::lines - 1) / Shape::lines * blocks, blocks,
               block::group::threads, block::bytes(blocks), stream, g, in, make_row, take, status);
  }
  return true;
}

}  // namespace tridia::device::detail
