// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/launch.cuh"
#include "tridia/device/detail/line_part.cuh"
#include "tridia/device/detail/thread_group.cuh"
#include "tridia/device/detail/thread_rows.cuh"
#include "tridia/device/line_grid.cuh"

// Lines that are longer than a block takes: blocks reduce a part of them each to interface
// equations, which are the chunks of the next level, until one block has all of a line; then
// unknowns come back, and blocks make the rows of their part once more and find x of them.
namespace tridia::device::detail {

/// Parts of one level combine into the next by blocks of so many threads.
inline constexpr int parts_together = 256;

/// Shares the parts of a level out among blocks.
struct part_count {
  std::int64_t lines;
  int parts;

  [[nodiscard]] __host__ __device__ int groups() const {
    return (parts + parts_together - 1) / parts_together;
  }
};

/// Combines equations of parts, line after line, into those of groups of them; the last level
/// closes a line, and finds the unknowns of its parts. Else, where unknowns of groups are known,
/// finds those of parts.
template <class T, pivoting P, class R, boundary B>
struct interface_level {
  using group = thread_group<parts_together, 1, neighbours::chunks>;
  using chunk = core::chunk<T, P, R>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;

  const equations* of_parts;
  equations* of_groups;
  unknowns *found, *found_of_groups;
  part_count count;
  bool down;  // unknowns of groups are known

  __device__ __forceinline__ void run() const {
    __shared__ equations of_warps[group::warps];
    const int groups = count.groups();
    const std::int64_t line = blockIdx.x / groups;
    const int g = static_cast<int>(blockIdx.x - line * groups), first = g * parts_together;
    const int here = min(count.parts - first, parts_together), at = group::chunk();
    const std::int64_t number = line * count.parts + first + at;
    equations e{};
    if (at < here) e = of_parts[number];
    const cuda::chunk_place place = group::place(here);
    cuda::block_level<T, P, R> level(place);
    cuda::growth_monitor<false, false> ignored;
    const equations all = level.up(e, of_warps, ignored);
    if (groups > 1 && !down) {
      if (at == 0) of_groups[line * groups + g] = all;
      return;
    }
    const unknowns u = level.down(groups == 1 ? chunk::template close<B>(all)
                                              : found_of_groups[line * groups + g]);
    if (at < here) found[number] = u;
  }
};

template <class Level>
__global__ void __launch_bounds__(parts_together)
    solve_interface_level(const __grid_constant__ Level level) {
  level.run();
}

/// One part of each of some lines in a block.
template <class T, class Shape, boundary B, pivoting P, int Sides, neighbours Order>
class block_of_parts {
 public:
  using group = thread_group<Shape::threads, Shape::lines, Order>;
  using values = sides_of<T, Sides>;
  using chunk = core::chunk<T, P, values>;
  using part = line_part<T, P, values, group>;
  static constexpr int rows = Shape::rows * Shape::threads;

  struct storage {
    rows_memory<T, Shape::rows, Shape::threads, Shape::lines, P, Sides, Order> rows;
    typename group::memory group_memory;
    typename part::equations of_warps[group::warps];
    typename part::exchange_memory exchange;
  };

  /// Reduces a part to `of_parts`, or, `Expand`, finds x from `found`.
  template <bool Expand, int Rank, int Axis, class MakeRow, class Take>
  static __device__ __forceinline__ void run(const line_grid<Rank, Axis>& g,
                                             const MakeRow& make_row, const Take& take, int parts,
                                             typename part::equations* of_parts,
                                             const typename part::unknowns* found,
                                             int* status_of_lines) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& m = *reinterpret_cast<storage*>(memory);
    const std::int64_t block = blockIdx.x / parts;
    const int p = static_cast<int>(blockIdx.x - block * parts), first = p * rows;
    const std::int64_t lines = g.lines(), first_line = block * Shape::lines;
    const std::int64_t of_interface = first_line + group::interface_line();
    const line_of<Rank, Axis> line(g, first_line + group::line());
    const int here = min(g.rows() - first, rows);
    auto row_of = [&](int k) { return row<T, Sides>(make_row(line.point_at(k))); };
    thread_rows<T, Shape::rows, Shape::threads, Shape::lines, B, P, Sides, Order, decltype(row_of)>
        own(m.rows, row_of, {g.rows(), first, line.exists() ? here : 0}, group::chunk(),
            group::thread());
    own.stage();
    if constexpr (own.by.made) group::wait();
    cuda::growth_monitor<false, false> ignored;
    const cuda::chunk_place place = group::place((here + Shape::rows - 1) / Shape::rows);
    part whole(m.of_warps, m.exchange, place);
    const auto e = whole.template reduce<Expand>(own, own.count(), ignored, ignored);
    if constexpr (!Expand) {
      if (group::interface_chunk() == 0 && of_interface < lines) {
        of_parts[of_interface * parts + p] = e;
      }
    } else {
      typename part::unknowns u{};
      if (of_interface < lines) u = found[of_interface * parts + p];
      const bool finite = whole.expand(own, own.count(), u);
      const bool good = !group::any_of_line(!finite, false, m.group_memory);
      own.give(good, [&](int k, const auto& x) { take(line.point_at(k), x); });
      if (!good && group::chunk() == 0) line.say(status_of_lines, unsolved);
    }
  }
};

template <bool Expand, class Block, int Rank, int Axis, class MakeRow, class Take>
__global__ void __launch_bounds__(Block::group::threads)
    solve_parts(const __grid_constant__ line_grid<Rank, Axis> g,
                const __grid_constant__ MakeRow make_row, const __grid_constant__ Take take,
                int parts, typename Block::part::equations* of_parts,
                const typename Block::part::unknowns* found, int* status_of_lines) {
  Block::template run<Expand>(g, make_row, take, parts, of_parts, found, status_of_lines);
}

/// Memory in a stream, from its pool.
class stream_memory {
 public:
  stream_memory(std::size_t bytes, cudaStream_t stream)
      : stream_(stream), result_(cudaMallocAsync(&data_, bytes, stream)) {}
  ~stream_memory() {
    if (data_ != nullptr) static_cast<void>(cudaFreeAsync(data_, stream_));
  }
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
  [[nodiscard]] cudaError_t result() const { return result_; }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
  cudaError_t result_;
};

/// Solves lines in parts of a shape's rows.
template <class T, class Shape, boundary B, pivoting P, int Sides, neighbours Order>
class long_lines {
  using block = block_of_parts<T, Shape, B, P, Sides, Order>;
  using equations = typename block::part::equations;
  using unknowns = typename block::part::unknowns;
  using level = interface_level<T, P, typename block::values, B>;
  static constexpr int most_levels = 4;  // 2^32 rows and more

 public:
  template <int Rank, int Axis, class MakeRow, class Take>
  static cudaError_t solve(const line_grid<Rank, Axis>& g, const MakeRow& make_row,
                           const Take& take, cudaStream_t stream, int* status) {
    part_count count[most_levels];
    int levels = 0;
    std::int64_t parts = (std::int64_t{g.rows()} + block::rows - 1) / block::rows, all = 0;
    do {
      count[levels] = {g.lines(), static_cast<int>(parts)};
      all += g.lines() * parts;
      parts = count[levels++].groups();
    } while (parts > 1);
    const stream_memory memory(
        static_cast<std::size_t>(all) * (sizeof(equations) + sizeof(unknowns)), stream);
    if (memory.result() != cudaSuccess) return memory.result();
    auto* const e = static_cast<equations*>(memory.data());
    auto* const u = reinterpret_cast<unknowns*>(e + all);

    cudaError_t result = cudaSuccess;
    if (status != nullptr) {
      result =
          cudaMemsetAsync(status, 0, static_cast<std::size_t>(g.lines()) * sizeof(int), stream);
    }
    const std::int64_t blocks = (g.lines() + Shape::lines - 1) / Shape::lines * count[0].parts;
    const auto run_parts = [&](auto kernel) {
      if (result != cudaSuccess) return;
      result = launch(kernel, blocks, 1, block::group::threads, sizeof(typename block::storage),
                      stream, g, make_row, take, count[0].parts, e, u, status);
    };
    const auto run_level = [&](int k, bool down) {
      std::int64_t before = 0;
      for (int j = 0; j < k; ++j) before += count[j].lines * count[j].parts;
      const std::int64_t after = before + count[k].lines * count[k].parts;
      if (result != cudaSuccess) return;
      result = launch(solve_interface_level<level>, count[k].lines * count[k].groups(), 1,
                      parts_together, 0, stream,
                      level{e + before, e + after, u + before, u + after, count[k], down});
    };
    run_parts(solve_parts<false, block, Rank, Axis, MakeRow, Take>);
    for (int k = 0; k < levels; ++k) run_level(k, false);
    for (int k = levels - 1; k-- > 0;) run_level(k, true);
    run_parts(solve_parts<true, block, Rank, Axis, MakeRow, Take>);
    return result;
  }
};

}  // namespace tridia::device::detail
