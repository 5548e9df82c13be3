// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/line_part.cuh"
#include "tridia/device/detail/thread_group.cuh"
#include "tridia/device/detail/thread_rows.cuh"
#include "tridia/device/row.cuh"

namespace tridia::device {

/// Solves lines in the threads of a block, `RowsAThread` rows each, by the partition method
/// (H. H. Wang, ACM TOMS 7(2), 1981), as the library's own kernels do. T is float, double, or
/// `complex` of these.
///
/// A line takes `ThreadsALine` threads, a power of two up to 32 or a multiple of 32; a block, or a
/// part of one that calls `solve` together, has `threads` = `ThreadsALine` x `LinesABlock` threads,
/// whole warps, and one dimension. `Order` says what neighbouring threads make and take at a time.
/// Up to 32 threads a line need no barrier of the block unless `Order` is `lines`, and every warp
/// may call `solve` when it likes; else all of these threads call it together.
///
/// With P = `partial` lines are solved without interchanges first, and those whose numbers grow
/// again with interchanges. `Sides` right-hand sides of one matrix are solved together.
template <class T, int RowsAThread, int ThreadsALine, int LinesABlock = 1,
          boundary B = boundary::regular, pivoting P = pivoting::none, int Sides = 1,
          neighbours Order = neighbours::chunks>
class block_solver {
  static_assert(RowsAThread >= 1 && Sides >= 1);
  using group = detail::thread_group<ThreadsALine, LinesABlock, Order>;
  using values = detail::sides_of<T, Sides>;
  static constexpr detail::row_by_row by = detail::rows_in_order(Order, ThreadsALine);
  template <class RowOf>
  using rows_of =
      detail::thread_rows<T, RowsAThread, ThreadsALine, LinesABlock, B, P, Sides, Order, RowOf>;
  template <pivoting Q>
  using equations = typename core::chunk<T, Q, values>::equations;
  template <pivoting Q>
  using part = detail::line_part<T, Q, values, group>;

 public:
  static constexpr int max_rows = RowsAThread * ThreadsALine;
  static constexpr int threads = group::threads;

  /// Lies in shared memory: `__shared__ typename solver::storage memory;`, or in dynamic shared
  /// memory where it has more than 48 KiB. Between two calls of `solve` it holds nothing; a barrier
  /// of the threads that call together has to lie between other uses of it and a call.
  struct storage {
    detail::rows_memory<T, RowsAThread, ThreadsALine, LinesABlock, P, Sides, Order> rows;
    typename group::memory group_memory;
    equations<P> of_warps[group::warps];
    typename part<P>::exchange_memory exchange;
  };
  static constexpr std::size_t shared_bytes = sizeof(storage);

  __device__ __forceinline__ explicit block_solver(storage& memory) : memory_(memory) {}

  /// Returns the line of this thread, from 0 to `LinesABlock` - 1.
  [[nodiscard]] static __device__ __forceinline__ int line() { return group::line(); }

  /// Solves this thread's line of n rows; n is the same for all lines that are solved together.
  /// `row_of(k)` returns `row<T, Sides>` of the line, for k from 0 to n - 1; it is pure, and is
  /// called once for each row, by one of the line's threads, and once more where the line is solved
  /// again with interchanges. `take(k, x)` gets x of each row once, in the same thread unless Order
  /// is `chunks_then_rows`: a T, or `const T (&)[Sides]`; all rows of the line have been made by
  /// then, so x may overwrite what they were made from. Returns the same status in all threads of a
  /// line. A line without a solution does not affect others. Nothing is kept in global memory.
  /// Threads whose line is not `used` take part, and make and take nothing.
  template <class RowOf, class Take>
  __device__ __forceinline__ status solve(int n, RowOf row_of, Take take, bool used = true) {
    if (n > max_rows) return too_long;
    rows_of<RowOf> rows(memory_.rows, row_of, {n, 0, used ? n : 0}, group::chunk(),
                        group::thread());
    const bool good = solve_rows(rows, n);
    rows.give(good, take);
    // Others may still take x of rows that the next call of this thread keeps something of.
    if constexpr (by.taken && !by.made) group::wait();
    return good ? solved : unsolved;
  }

 private:
  /// What a thread found out in an attempt: about its rows, and about the interface.
  struct verdict {
    bool rows, interface;
  };

  /// Finds x. Returns whether all of the line's is finite.
  template <class Rows>
  __device__ __forceinline__ bool solve_rows(Rows& rows, int n) {
    constexpr bool monitored = P == pivoting::partial;
    stage(rows, true);
    const verdict first = attempt<pivoting::none, monitored>(rows, n, rows.count());
    bool good = !group::any_of_line(!first.rows, !first.interface, memory_.group_memory);
    if constexpr (monitored) {
      if (group::any_together(!good)) {
        stage(rows, !good);
        const verdict now = attempt<pivoting::partial, false>(rows, n, good ? 0 : rows.count());
        good = !group::any_of_line(!good && !now.rows, false, memory_.group_memory);
      }
    }
    return good;
  }
  template <class Rows>
  __device__ __forceinline__ void stage(Rows& rows, bool mine) {
    if constexpr (by.made) {
      if (mine) rows.stage();
      group::wait();
    }
  }

  /// Solves the lines of this group of threads.
  template <pivoting Q, bool Monitored, class Rows>
  __device__ __forceinline__ verdict attempt(Rows& rows, int n, int count) {
    using chunk = core::chunk<T, Q, values>;
    cuda::growth_monitor<Monitored, false> of_rows, of_interface;
    const cuda::chunk_place place = group::place((n + RowsAThread - 1) / RowsAThread);
    part<Q> whole(memory_.of_warps, memory_.exchange, place);
    const auto all = whole.template reduce<true>(rows, count, of_rows, of_interface);
    const auto found = B == boundary::periodic && n >= 3
                           ? chunk::template close<B>(all)
                           : chunk::template close<boundary::regular>(all);
    const bool finite = whole.expand(rows, count, found);
    return {finite && of_rows.bounded, of_interface.bounded};
  }

  storage& memory_;
};

/// Holds the shape that was the fastest on an H100 for lines of up to `Rows` rows of double that a
/// kernel reads from memory and writes, in an order of neighbouring threads (docs/device.md): a
/// warp alone needs no barrier, and rows across lines want 64 bytes of memory and more. Lines of
/// 2^k + 1 rows, and up to an eighth more, take the threads of 2^k. `Arch` is the compute
/// capability, 90 for 9.0; where a block may have less shared memory it has fewer lines.
template <int Rows, neighbours Order = neighbours::rows, int Arch = 90>
struct suggested {
 private:
  static constexpr bool across = Order == neighbours::lines;
  static constexpr int least_rows = across && Rows > 288 ? 16 : 8, most_rows = least_rows * 9 / 8;

 public:
  static constexpr int threads_a_line = [] {
    int threads = 1;
    while (threads * most_rows < Rows) threads *= 2;
    return threads;
  }();
  static constexpr int rows_a_thread = threads_a_line * least_rows < Rows ? most_rows : least_rows;
  static constexpr int lines_a_block = [] {
    constexpr int threads = threads_a_line, a_warp = threads < 32 ? 32 / threads : 1;
    if (!across) return threads == 64 ? 2 : a_warp;
    constexpr int kilobytes = Arch >= 90 ? 227 : Arch == 80 || Arch == 87 ? 163 : 99;
    int lines = threads <= 16 ? 16 : 8;
    if (lines < a_warp) lines = a_warp;
    // Three words a row, and three that a thread exchanges.
    constexpr int bytes = 3 * 8 * threads * (rows_a_thread + 2);
    while (lines > a_warp && bytes * lines > kilobytes * 1024) lines /= 2;
    return lines;
  }();
};

/// Solves lines in the threads of a warp, `ThreadsALine` each, a power of two up to 32: this is the
/// `block_solver` of one warp. Every warp has a `storage` of its own, and calls `solve` by itself.
template <class T, int RowsAThread, int ThreadsALine = 32, boundary B = boundary::regular,
          pivoting P = pivoting::none, int Sides = 1, neighbours Order = neighbours::chunks>
using warp_solver =
    block_solver<T, RowsAThread, ThreadsALine, 32 / ThreadsALine, B, P, Sides, Order>;

}  // namespace tridia::device
