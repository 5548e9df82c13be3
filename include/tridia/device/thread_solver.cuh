// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/elimination_periodic.hpp"
#include "tridia/device/row.cuh"

namespace tridia::device {

/// Solves a system of up to `MaxRows` rows in the registers of one thread, by elimination row after
/// row (LAPACK's xGTSV if P is `partial`). T is float, double, or `complex` of these. Loops are
/// unrolled: `MaxRows` above some 32 spills registers.
template <class T, int MaxRows, boundary B = boundary::regular, pivoting P = pivoting::none,
          int Sides = 1>
class thread_solver {
  static_assert(MaxRows >= 1 && Sides >= 1);

 public:
  static constexpr int max_rows = MaxRows;

  /// Solves one system of n rows. `row_of(k)` returns `row<T, Sides>` for k from 0 to n - 1 and is
  /// called once for each row; `take(k, x)` gets x of each row once, the last one first: a T, or
  /// `const T (&)[Sides]`. `take` may overwrite what `row_of` has read. Threads of a warp need not
  /// call it together, and may have systems of different lengths.
  template <class RowOf, class Take>
  static __device__ __forceinline__ status solve(int n, RowOf row_of, Take take) {
    if (n > MaxRows) return too_long;
    if constexpr (B == boundary::periodic) {
      if (n >= 3) return run<core::elimination<T, P, B>>(n, row_of, take);
    }
    return run<core::elimination<T, P, boundary::regular>>(n, row_of, take);
  }

 private:
  template <class E, class RowOf, class Take>
  static __device__ __forceinline__ status run(int n, RowOf& row_of, Take& take) {
    if (n <= 0) return solved;
    typename E::upper upper[MaxRows];
    T y[MaxRows][Sides];
    const bool good = reduce<E>(n, row_of, upper, y);
    if (!good || !substitute<E>(n, upper, y)) {
      for (int k = n; k-- > 0;) {
        T x[Sides];
        for (T& v : x) v = core::not_a_number<T>();
        detail::give<T, Sides>(take, k, x);
      }
      return unsolved;
    }
#pragma unroll
    for (int i = 1; i <= MaxRows; ++i) {
      const int k = MaxRows - i;
      if (k < n) detail::give<T, Sides>(take, k, y[k]);
    }
    return solved;
  }

  /// Puts U, scaled to a unit diagonal, and L^-1 rhs into arrays. Returns whether they are finite.
  template <class E, class RowOf>
  static __device__ __forceinline__ bool reduce(int n, RowOf& row_of,
                                                typename E::upper (&upper)[MaxRows],
                                                T (&y)[MaxRows][Sides]) {
    typename E::factorization f;
    typename E::forward g[Sides];
    typename E::lower l;
    const auto make = [&](int k) { return detail::make_row<T, B, Sides>(row_of, k, n); };
    row<T, Sides> last{};
    if constexpr (E::tail > 1) last = make(n - 1);
    row<T, Sides> in = make(0);
    f.start(matrix_of(in), matrix_of(last), n);
#pragma unroll
    for (int j = 0; j < Sides; ++j) g[j].start(in.rhs[j], last.rhs[j]);
#pragma unroll
    for (int k = 1; k < MaxRows; ++k) {
      if (k >= n + 1 - E::tail) continue;
      in = make(k);
      f.step(matrix_of(in), n - 1 - k, l, upper[k - 1]);
#pragma unroll
      for (int j = 0; j < Sides; ++j) y[k - 1][j] = g[j].step(l, in.rhs[j]);
    }
    bool good = true;
#pragma unroll
    for (int c = 0; c < E::tail; ++c) {
#pragma unroll
      for (int k = 0; k < MaxRows; ++k) {
        if (k != n - E::tail + c) continue;
        f.finish(c, l, upper[k]);
#pragma unroll
        for (int j = 0; j < Sides; ++j) {
          y[k][j] = g[j].finish(c, l);
          good = good && core::is_finite(y[k][j]);
        }
      }
    }
    return good;
  }

  /// Puts x in the place of y, and returns whether it is finite.
  template <class E>
  static __device__ __forceinline__ bool substitute(int n,
                                                    const typename E::upper (&upper)[MaxRows],
                                                    T (&y)[MaxRows][Sides]) {
    typename E::backward h[Sides];
    bool good = true;
#pragma unroll
    for (int i = 1; i <= MaxRows; ++i) {
      const int k = MaxRows - i;
      if (k >= n) continue;
#pragma unroll
      for (int j = 0; j < Sides; ++j) {
        const int column = k - (n - E::tail);
        y[k][j] =
            column >= 0 ? h[j].finish(column, upper[k], y[k][j]) : h[j].step(upper[k], y[k][j]);
        good = good && core::is_finite(y[k][j]);
      }
    }
    return good;
  }

  static __device__ __forceinline__ core::row<T> matrix_of(const row<T, Sides>& r) {
    return {r.sub, r.diag, r.sup};
  }
};

}  // namespace tridia::device
