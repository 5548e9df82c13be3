// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/elimination_periodic.hpp"
#include "tridia/row.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tridia::detail {

using core::is_finite, core::select;

/// Returns NaN in every lane and part.
template <class V>
TRIDIA_FN V not_a_number() {
  using R = typename core::value_traits<V>::real;
  const R nan(std::numeric_limits<float>::quiet_NaN());
  if constexpr (std::is_same_v<V, R>) {
    return nan;
  } else {
    return {nan, nan};
  }
}

/// Does the two sweeps of elimination (core/elimination.hpp) along one line of values V, which may
/// be several lines in lanes, over rows that a function makes. Each row is made once: the last one
/// of a periodic line first, then the others in order. What is kept of a row, `row_values` values
/// V from `kept` + k x `pitch` on, is U and y after the forward sweep, and U and x after the
/// backward one. Sweeps can be left between rows, so that several lines can alternate. `Folding` is
/// the boundary of the rows that are made: those of a periodic line of one or two rows are folded.
template <class V, boundary Folding, pivoting P, boundary B, int Sides>
class line_sweeps {
  using E = core::elimination<V, P, B>;
  using mask = core::mask_t<V>;

 public:
  static constexpr int row_values = E::upper_values + Sides;

  /// Makes row 0, and the row that is carried along if there is one.
  template <class RowOf>
  TRIDIA_FN void start(int n, RowOf& row_of) {
    row<V, Sides> last{};
    if constexpr (E::tail > 1) last = make(row_of, n - 1, n);
    const row<V, Sides> first = make(row_of, 0, n);
    f_.start(matrix_of(first), matrix_of(last), n);
    for (int j = 0; j < Sides; ++j) g_[j].start(first.rhs[j], last.rhs[j]);
  }
  /// Eliminates columns k0 - 1 to k1 - 2: rows k0 to k1 - 1 enter, k0 > 0, k1 <= entering(n).
  template <class RowOf>
  TRIDIA_FN void forward(int k0, int k1, int n, RowOf& row_of, V* kept, std::int64_t pitch) {
    // No pointer refers to these copies, so that they stay in registers.
    auto f = f_;
    typename E::forward g[Sides];
    for (int j = 0; j < Sides; ++j) g[j] = g_[j];
    typename E::lower l;
    typename E::upper u;
    for (int k = k0; k < k1; ++k) {
      V* const here = kept + (k - 1) * pitch;
      const row<V, Sides> in = make(row_of, k, n);
      f.step(matrix_of(in), n - 1 - k, l, u);
      u.put(here);
      for (int j = 0; j < Sides; ++j) here[E::upper_values + j] = g[j].step(l, in.rhs[j]);
    }
    f_ = f;
    for (int j = 0; j < Sides; ++j) g_[j] = g[j];
  }
  /// Returns the number of rows that enter one after another.
  static constexpr int entering(int n) { return n + 1 - E::tail; }

  /// Eliminates the last columns and finds the last x.
  TRIDIA_FN void turn(int n, V* kept, std::int64_t pitch) {
    typename E::lower l;
    typename E::upper u[E::tail];
    V y[E::tail][Sides];
    finite_ = mask(true);
    for (int c = 0; c < E::tail; ++c) {
      f_.finish(c, l, u[c]);
      for (int j = 0; j < Sides; ++j) {
        y[c][j] = g_[j].finish(c, l);
        finite_ = finite_ && is_finite(y[c][j]);
      }
    }
    for (int c = E::tail; c-- > 0;) {
      V* const here = kept + (n - E::tail + c) * pitch;
      for (int j = 0; j < Sides; ++j) {
        here[E::upper_values + j] = seen(h_[j].finish(c, u[c], y[c][j]));
      }
    }
  }
  /// Finds x of rows k1 - 1 down to k0; k1 <= n - tail.
  TRIDIA_FN void backward(int k0, int k1, V* kept, std::int64_t pitch) {
    typename E::backward h[Sides];
    for (int j = 0; j < Sides; ++j) h[j] = h_[j];
    mask finite = finite_;
    typename E::upper u;
    for (int k = k1; k-- > k0;) {
      V* const here = kept + k * pitch;
      u.get(here);
      for (int j = 0; j < Sides; ++j) {
        const V x = h[j].step(u, here[E::upper_values + j]);
        here[E::upper_values + j] = x;
        finite = finite && is_finite(x);
      }
    }
    for (int j = 0; j < Sides; ++j) h_[j] = h[j];
    finite_ = finite;
  }
  /// Returns the number of rows whose x `backward` finds.
  static constexpr int leaving(int n) { return n - E::tail; }
  /// Returns a mask of the lanes in which every x so far is finite.
  [[nodiscard]] TRIDIA_FN mask finite() const { return finite_; }

  /// Hands out x of row k: NaN in the lanes without a solution.
  template <class Take>
  TRIDIA_FN void give(int k, Take& take, const V* kept, std::int64_t pitch) const {
    const V* const here = kept + k * pitch + E::upper_values;
    V x[Sides];
    for (int j = 0; j < Sides; ++j) x[j] = select(finite_, here[j], not_a_number<V>());
    detail::give<V, Sides>(take, k, x);
  }

 private:
  template <class RowOf>
  static TRIDIA_FN row<V, Sides> make(RowOf& row_of, int k, int n) {
    return make_row<V, Folding, Sides>(row_of, k, n);
  }
  static TRIDIA_FN core::row<V> matrix_of(const row<V, Sides>& r) { return {r.sub, r.diag, r.sup}; }
  TRIDIA_FN V seen(const V& x) {
    finite_ = finite_ && is_finite(x);
    return x;
  }

  typename E::factorization f_;
  typename E::forward g_[Sides];
  typename E::backward h_[Sides];
  mask finite_;
};

}  // namespace tridia::detail
