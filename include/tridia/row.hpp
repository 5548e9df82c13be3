// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/complex.hpp"
#include "tridia/device/detail/core/values.hpp"
#include "tridia/types.hpp"

#include <type_traits>

// A function of yours makes row k of a system, and another one takes x of row k: coefficients need
// not lie in memory. The same functions serve on a CPU (tridia/solve_lines.hpp) and inside a kernel
// (tridia/device); docs/device.md shows how.
namespace tridia {

/// Holds a complex number, `re` and `im`, with the layout of std::complex<R>, which has neither
/// device functions nor vectors. R is a real number, or a `simd` of them.
template <class R>
using complex = core::complex<R>;

/// Holds row k of a system and its right-hand sides: `sub` x[k-1] + `diag` x[k] + `sup` x[k+1] =
/// `rhs`. `sub` of row 0 and `sup` of the last row are not used, or, if the system is periodic, the
/// entries of its corners.
template <class T, int Sides = 1>
struct row {
  T sub, diag, sup;
  T rhs[Sides];
};

/// Says whether a line was solved.
enum status : int {
  solved = 0,
  unsolved = 1,   ///< No finite x was found: every x of the line is NaN.
  too_long = -1,  ///< The line has more rows than the solver takes: nothing was done.
};

namespace detail {

/// Makes rows of `n` rows as a solver wants them: entries outside the matrix are 0. Of periodic
/// lines of one or two rows, entries that coincide are added up, so that they are regular.
template <class T, boundary B, int Sides, class RowOf>
TRIDIA_FN row<T, Sides> make_row(RowOf& row_of, int k, int n) {
  row<T, Sides> r = row_of(k);
  if (B == boundary::periodic && n >= 3) return r;
  if (B == boundary::periodic && n == 1) r.diag = r.diag + r.sub + r.sup;
  if (B == boundary::periodic && n == 2) r.sub = r.sup = r.sub + r.sup;
  if (k == 0) r.sub = T(0);
  if (k == n - 1) r.sup = T(0);
  return r;
}

/// Hands x of row k to `take`: a number, or, of several right-hand sides, an array.
template <class T, int Sides, class Take>
TRIDIA_FN void give(Take& take, int k, const T (&x)[Sides]) {
  if constexpr (Sides == 1) {
    take(k, x[0]);
  } else {
    take(k, x);
  }
}

/// The right-hand sides of a row as chunks take them, and their members as arrays.
template <class T, int Sides>
using sides_of = std::conditional_t<Sides == 1, T, core::values<T, Sides>>;
template <class T>
TRIDIA_FN T& side(T& of_one, int) {
  return of_one;
}
template <class T, int Sides>
TRIDIA_FN T& side(core::values<T, Sides>& all, int j) {
  return all.at[j];
}
template <class T, int Sides>
TRIDIA_FN const T& side(const core::values<T, Sides>& all, int j) {
  return all.at[j];
}

}  // namespace detail
}  // namespace tridia
