// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/recurrence.hpp"
#include "tridia/device/detail/line_part.cuh"
#include "tridia/device/detail/thread_group.cuh"
#include "tridia/device/row.cuh"

namespace tridia::device {

/// Holds row k of a factored matrix, for the recurrences y[k] = b[k] - `lower` y[k-1] down a line
/// and x[k] = `inverse` y[k] - `upper` x[k+1] back.
template <class T>
struct factor {
  T lower, inverse, upper;
};

/// Returns the factors of a row without interchanges, given those of the row before, or, of row 0,
/// any with `inverse` and `upper` 0 (L. H. Thomas, 1949). Host and device.
template <class T, int Sides>
__host__ __device__ factor<T> next_factor(const factor<T>& before, const row<T, Sides>& r) {
  const T inverse = core::reciprocal(core::sub_mul(r.diag, r.sub, before.upper));
  return {r.sub * before.inverse, inverse, r.sup * inverse};
}

/// Solves lines with a matrix known beforehand, of which the kernel has the factors, in the threads
/// of a block: two recurrences, each a scan over chunks of rows (core/recurrence.hpp). So a compact
/// derivative of what a kernel has computed costs a few operations a row and no division. T,
/// `RowsAThread`, `ThreadsALine`, `LinesABlock`, `Order`, and who calls `solve`, are as with
/// block_solver; boundaries are regular.
template <class T, int RowsAThread, int ThreadsALine, int LinesABlock = 1,
          neighbours Order = neighbours::chunks>
class recurrence_solver {
  using group = detail::thread_group<ThreadsALine, LinesABlock, Order>;
  static constexpr bool staged = Order == neighbours::rows && ThreadsALine > 1;
  static constexpr int pitch = RowsAThread | 1;

  /// What leaves a chunk is `end` + `times` what comes in.
  struct step {
    T times, end;
    template <class F>
    __device__ __forceinline__ step map(F f) const {
      return {f(times), f(end)};
    }
    /// Returns the step through this chunk after `before`.
    __device__ __forceinline__ step after(const step& before) const {
      return {times * before.times, core::add_mul(end, times, before.end)};
    }
  };
  using exchange_memory =
      detail::exchange_memory<T, group::exchanges ? ThreadsALine : 1,
                              group::exchanges ? LinesABlock : 1, group::exchanges ? 2 : 1>;

 public:
  static constexpr int max_rows = RowsAThread * ThreadsALine;
  static constexpr int threads = group::threads;

  /// Lies in shared memory, as that of block_solver.
  struct storage {
    T rows[staged ? pitch * group::threads : 1];
    step of_warps[2][group::warps];
    typename group::memory group_memory;
    exchange_memory exchange;
  };
  static constexpr std::size_t shared_bytes = sizeof(storage);

  __device__ __forceinline__ explicit recurrence_solver(storage& memory) : memory_(memory) {}
  [[nodiscard]] static __device__ __forceinline__ int line() { return group::line(); }

  /// Solves this thread's line of n rows. `factor_of(k)` returns `factor<T>` of row k, and is
  /// called several times; `rhs_of(k)` returns the right-hand side, and is called once for each
  /// row, and `take(k, x)` once, by the same thread. All right-hand sides of a line have been made
  /// before x is given out. Returns the same status in all threads of a line.
  template <class FactorOf, class RhsOf, class Take>
  __device__ __forceinline__ status solve(int n, FactorOf factor_of, RhsOf rhs_of, Take take) {
    if (n > max_rows) return too_long;
    const int first = group::chunk() * RowsAThread;
    core::recurrence_chunk<T, RowsAThread> rows;
    load(rows, n, first, rhs_of);
    // Rows behind the end pass on what comes in.
    const chunk_factors<FactorOf> f{factor_of, first, n};
    const auto lower = [&](int i) { return f.lower(i); };
    const auto upper = [&](int i) { return f.upper(i); };
    const T product_down = core::chunk_factor<T>(RowsAThread, lower);
    rows.down(f, comes_in<false>({product_down, rows.down_end(f)}));
    const T product_back = core::chunk_factor<T>(RowsAThread, upper);
    rows.back(f, comes_in<true>({product_back, rows.back_end(f)}));
    const bool good = !group::any_of_line(!rows.finite(), false, memory_.group_memory);
    give(rows, n, first, good, take);
    return good ? solved : unsolved;
  }

 private:
  template <class FactorOf>
  struct chunk_factors {
    FactorOf& factor_of;
    int first, n;
    __device__ __forceinline__ T lower(int i) const {
      return first + i < n ? factor_of(first + i).lower : T(-1);
    }
    __device__ __forceinline__ T inverse(int i) const {
      return first + i < n ? factor_of(first + i).inverse : T(0);
    }
    __device__ __forceinline__ T upper(int i) const {
      return first + i < n ? factor_of(first + i).upper : T(-1);
    }
  };

  /// Returns the place of row k of this thread's line in shared memory.
  __device__ __forceinline__ T& staged_row(int k) const {
    const int owner = group::thread() - group::chunk() + k / RowsAThread;
    return memory_.rows[owner * pitch + k % RowsAThread];
  }
  template <class Rows, class RhsOf>
  __device__ __forceinline__ void load(Rows& rows, int n, int first, RhsOf& rhs_of) {
    if constexpr (staged) {
      for (int k = group::chunk(); k < n; k += ThreadsALine) staged_row(k) = rhs_of(k);
      group::wait();
    }
#pragma unroll
    for (int i = 0; i < RowsAThread; ++i) {
      const int k = first + i;
      if constexpr (staged) {
        rows.value[i] = k < n ? staged_row(k) : T(0);
      } else {
        rows.value[i] = k < n ? rhs_of(k) : T(0);
      }
    }
  }
  template <class Rows, class Take>
  __device__ __forceinline__ void give(const Rows& rows, int n, int first, bool good, Take& take) {
    const auto x = [&](const T& found) { return good ? found : core::not_a_number<T>(); };
#pragma unroll
    for (int i = 0; i < RowsAThread; ++i) {
      const int k = first + i;
      if (k >= n) continue;
      if constexpr (staged) {
        staged_row(k) = x(rows.value[i]);
      } else {
        take(k, x(rows.value[i]));
      }
    }
    if constexpr (staged) {
      group::wait();
      for (int k = group::chunk(); k < n; k += ThreadsALine) take(k, staged_row(k));
    }
  }

  /// Returns what comes in at this thread's chunk, from the chunks before it or, `Back`, behind it.
  template <bool Back>
  __device__ __forceinline__ T comes_in(step own) const {
    if constexpr (group::exchanges) own = carried(own, true);
    T in = comes_in_interface<Back>(own);
    if constexpr (group::exchanges) in = carried(step{in, in}, false).end;
    return in;
  }
  /// Does so for the chunk whose scan this thread takes part in.
  template <bool Back>
  __device__ __forceinline__ T comes_in_interface(step own) const {
    using gpu::warp_size;
    constexpr int lanes = ThreadsALine < warp_size ? ThreadsALine : warp_size;
    constexpr int warps = ThreadsALine / lanes;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int at = group::interface_chunk(), in_warp = at % lanes, warp = at / lanes;
    const int before = Back ? lanes - 1 - in_warp : in_warp;
    const auto from = [&](const step& s, int d) {
      return gpu::shuffle(s, (Back ? lane + d : lane - d) & (warp_size - 1));
    };
    step all = own;
#pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
      const step other = from(all, d);
      if (before >= d) all = all.after(other);
    }
    T in(0);
    if constexpr (warps > 1) {
      step* const of_warps = memory_.of_warps[Back] + group::thread() / warp_size - warp;
      if (before == lanes - 1) of_warps[warp] = all;
      group::wait();
      for (int w = Back ? warps - 1 : 0; w != warp; w += Back ? -1 : 1) {
        in = core::add_mul(of_warps[w].end, of_warps[w].times, in);
      }
    }
    const step previous = from(all, 1);
    return before == 0 ? in : core::add_mul(previous.end, previous.times, in);
  }
  /// Carries a step to the thread that scans it, or back.
  __device__ __forceinline__ step carried(const step& s, bool there) const {
    auto& exchange = memory_.exchange;
    const auto put = [&](int line, int chunk) { exchange.put(line, chunk, s); };
    const auto get = [&](int line, int chunk) { return exchange.template get<step>(line, chunk); };
    there ? put(group::line(), group::chunk())
          : put(group::interface_line(), group::interface_chunk());
    group::wait();
    const step r = there ? get(group::interface_line(), group::interface_chunk())
                         : get(group::line(), group::chunk());
    group::wait();
    return r;
  }

  storage& memory_;
};

}  // namespace tridia::device
