// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/solver/cuda/partition/levels.cuh"
#include "tridia/device/detail/thread_group.cuh"
#include "tridia/device/detail/thread_rows.cuh"
#include "tridia/device/row.cuh"

namespace tridia::device {

/// Solves lines in the threads of a block, `RowsAThread` rows each, by the partition method
/// (H. H. Wang, ACM TOMS 7(2), 1981): the library's own kernels use the same levels. T is float,
/// double, or `complex` of these.
///
/// A line takes `ThreadsALine` threads, a power of two up to 32 or a multiple of 32; thread t of
/// the one-dimensional block belongs to line t / `ThreadsALine`. A block has `threads` =
/// `ThreadsALine` x `LinesABlock` threads, whole warps. Up to 32 threads a line need no barrier of
/// the block, and every warp may call `solve` when it likes; with more, all threads of the block
/// call it together.
///
/// With P = `partial` lines are solved without interchanges first, and those whose numbers grow
/// again with interchanges.
template <class T, int RowsAThread, int ThreadsALine, int LinesABlock = 1,
          boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          neighbours Order = neighbours::rows>
class block_solver {
  using group = detail::thread_group<ThreadsALine, LinesABlock, Order>;
  using rows_memory = detail::rows_memory<T, RowsAThread, group::threads, P, Sides>;
  static constexpr int exchanged_words = P == pivoting::partial ? 5 : 3;
  using exchange_memory = detail::exchange_memory<T, group::exchanges ? ThreadsALine : 1,
                                                  group::exchanges ? LinesABlock : 1,
                                                  group::exchanges ? exchanged_words : 1>;

 public:
  static constexpr int max_rows = RowsAThread * ThreadsALine;
  static constexpr int threads = group::threads;

  /// Lies in shared memory: `__shared__ typename solver::storage memory;`, or in dynamic shared
  /// memory where it has more than 48 KiB. Between two calls of `solve` it holds nothing; with more
  /// than 32 threads a line a barrier has to lie between other uses of it and a call.
  struct storage {
    rows_memory rows;
    typename group::memory group_memory;
    typename core::chunk<T, P>::equations of_warps[group::warps];
    exchange_memory exchange;
  };
  static constexpr std::size_t shared_bytes = sizeof(storage);

  __device__ __forceinline__ explicit block_solver(storage& memory) : memory_(memory) {}

  /// Returns the line of this thread, from 0 to `LinesABlock` - 1.
  [[nodiscard]] static __device__ __forceinline__ int line() { return group::line(); }

  /// Solves this thread's line of n rows; n is the same for all lines of a block, or of a warp that
  /// calls it by itself. `row_of(k)` returns `row<T, Sides>` of the line, for k from 0 to n - 1; it
  /// is pure, and is called once for each row, by one of the line's threads, and once more where
  /// the line is solved again with interchanges. `take(k, x)` gets x of each row once, in the same
  /// thread: a T, or `const T (&)[Sides]`; all rows of the line have been made by then, so x may
  /// overwrite what they were made from. Neighbouring threads have rows `RowsAThread` apart.
  /// Returns the same status in all threads of a line. A line without a solution does not affect
  /// others. Nothing is kept in global memory.
  template <class RowOf, class Take>
  __device__ __forceinline__ status solve(int n, RowOf row_of, Take take) {
    if (n > max_rows) return too_long;
    detail::thread_rows<T, RowsAThread, group::threads, B, P, Sides, RowOf> rows(
        memory_.rows, row_of, n, group::chunk(), group::thread());
    bool good = true;
    // In a loop that is not unrolled, nvcc 13.0 reads right-hand sides from wrong addresses.
#pragma unroll
    for (int side = 0; side < Sides; ++side) {
      rows.select(side);
      good = solve_side(rows, n) && good;
    }
    rows.give(good, take);
    return good ? solved : unsolved;
  }

 private:
  template <pivoting Q>
  using equations = typename core::chunk<T, Q>::equations;

  /// What a thread found out in an attempt: about its rows, and about the interface.
  struct verdict {
    bool rows, interface;
  };

  /// Finds x of one right-hand side. Returns whether all of a line's is finite.
  template <class Rows>
  __device__ __forceinline__ bool solve_side(Rows& rows, int n) {
    constexpr bool monitored = P == pivoting::partial;
    const verdict first = attempt<pivoting::none, monitored>(rows, n, rows.count());
    bool good = !group::any_of_line(!first.rows, !first.interface, memory_.group_memory);
    if constexpr (monitored) {
      if (group::any_together(!good)) {
        const verdict now = attempt<pivoting::partial, false>(rows, n, good ? 0 : rows.count());
        good = !group::any_of_line(!good && !now.rows, false, memory_.group_memory);
      }
    }
    rows.accept();
    return good;
  }

  /// Solves the lines of this group of threads.
  template <pivoting Q, bool Monitored, class Rows>
  __device__ __forceinline__ verdict attempt(Rows& rows, int n, int count) {
    cuda::growth_monitor<Monitored, false> monitor, of_interface;
    cuda::thread_chunk<T, Q> chunk;
    equations<Q> e{};
    if (count > 0) e = chunk.template reduce<true>(count, rows, monitor);
    if constexpr (group::exchanges) e = to_interface(e);
    const cuda::chunk_place place = group::place((n + RowsAThread - 1) / RowsAThread);
    cuda::block_level<T, Q> level(place);
    const auto all = level.up(e, reinterpret_cast<equations<Q>*>(memory_.of_warps), of_interface);
    const auto whole = B == boundary::periodic && n >= 3
                           ? core::chunk<T, Q>::template close<B>(all)
                           : core::chunk<T, Q>::template close<boundary::regular>(all);
    auto unknowns = level.down(whole);
    if constexpr (group::exchanges) unknowns = from_interface(unknowns);
    const bool finite = count == 0 || chunk.expand(count, rows, unknowns);
    return {finite && monitor.bounded, of_interface.bounded};
  }

  /// Carry what a thread has of its rows to the thread that solves the interface, one equation
  /// after the other, and back.
  __device__ __forceinline__ equations<pivoting::none> to_interface(
      const equations<pivoting::none>& e) {
    return {carried(e.first), carried(e.last)};
  }
  __device__ __forceinline__ equations<pivoting::partial> to_interface(
      const equations<pivoting::partial>& e) {
    return {carried(e.a), carried(e.b)};
  }
  template <class E>
  __device__ __forceinline__ E carried(const E& mine) {
    memory_.exchange.put(group::line(), group::chunk(), mine);
    group::wait();
    const E e = memory_.exchange.template get<E>(group::interface_line(), group::interface_chunk());
    group::wait();
    return e;
  }
  template <class U>
  __device__ __forceinline__ U from_interface(const U& found) {
    memory_.exchange.put(group::interface_line(), group::interface_chunk(), found);
    group::wait();
    const U u = memory_.exchange.template get<U>(group::line(), group::chunk());
    group::wait();
    return u;
  }

  storage& memory_;
};

/// Holds the shape that was the fastest on an H100 where a kernel steps interleaved lines of up to
/// `Rows` rows of double, and reads and writes memory on the way (docs/device.md).
template <int Rows>
struct suggested {
  static constexpr int rows_a_thread = Rows <= 256 ? 8 : 16;
  static constexpr int threads_a_line = [] {
    int threads = 1;
    while (threads * rows_a_thread < Rows) threads *= 2;
    return threads;
  }();
  static constexpr int lines_a_block = [] {
    const int lines = Rows <= 128 || (Rows > 256 && Rows <= 512) ? 16 : 8;
    return lines * threads_a_line < 32 ? 32 / threads_a_line : lines;
  }();
};

/// Solves lines in the threads of a warp, `ThreadsALine` each, a power of two up to 32: this is the
/// `block_solver` of one warp. Every warp has a `storage` of its own, and calls `solve` by itself.
template <class T, int RowsAThread, int ThreadsALine = 32, boundary B = boundary::regular,
          pivoting P = pivoting::none, int Sides = 1, neighbours Order = neighbours::rows>
using warp_solver =
    block_solver<T, RowsAThread, ThreadsALine, 32 / ThreadsALine, B, P, Sides, Order>;

}  // namespace tridia::device
