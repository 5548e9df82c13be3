// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

// LAPACK's xGTSV solves one system with one or more right-hand sides, in place, and promises what
// its arrays hold on exit: U of A = L U, which partial pivoting gives two superdiagonals. That
// fixes the order of elimination; so this does the operations of LAPACK's reference implementation,
// each with its operands in its order, and every number is the one that LAPACK gives. What is new
// is the order in which memory is walked: down columns, some of them beside each other, where
// LAPACK goes along rows of B, a leading dimension apart.
namespace tridia::lapack {

using core::is_zero;
using core::magnitude;

template <class V>
inline constexpr bool is_complex = !std::is_floating_point_v<V>;

/// These are the operations of Fortran's numbers: nothing is fused, and complex numbers are divided
/// as R. L. Smith (1962) does it, by a ratio of the parts of the divisor.
template <class R>
R quotient(R a, R b) {
  return a / b;
}
template <class R>
core::complex<R> quotient(core::complex<R> a, core::complex<R> b) {
  if (magnitude(b.re) < magnitude(b.im)) {
    const R ratio = b.re / b.im, norm = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / norm, (a.im * ratio - a.re) / norm};
  }
  const R ratio = b.im / b.re, norm = b.im * ratio + b.re;
  return {(a.im * ratio + a.re) / norm, (a.im - a.re * ratio) / norm};
}
/// Returns a - b c, rounded after each operation.
template <class V>
V less_product(V a, V b, V c) {
  return a + -(b * c);
}

/// Names what the elimination of a column does to the pivot's row and the one below it.
enum class row_operation { subtract, interchange, nothing };
template <row_operation operation>
using constant = std::integral_constant<row_operation, operation>;

/// Eliminates column k of a matrix, 0 <= k < n - 1: row k becomes one of U (dl: its second
/// superdiagonal, which the row before the last one lacks). It calls done(constant<operation>,
/// factor), unless the pivot is zero: then it changes nothing, and returns false.
template <class V, class Done>
[[gnu::always_inline]] inline bool eliminate(std::ptrdiff_t k, std::ptrdiff_t n, V* __restrict dl,
                                             V* __restrict d, V* __restrict du, Done&& done) {
  const V pivot = d[k], below = dl[k];
  const bool has_fill = k + 2 < n;
  if (is_complex<V> && is_zero(below)) {
    // The complex routines leave such rows alone; in the real ones they are as others.
    if (is_zero(pivot)) return false;
    done(constant<row_operation::nothing>(), below);
    return true;
  }
  if (magnitude(pivot) >= magnitude(below)) {
    if (is_zero(pivot)) return false;
    const V factor = quotient(below, pivot);
    d[k + 1] = less_product(d[k + 1], factor, du[k]);
    if (has_fill) dl[k] = V(0);
    done(constant<row_operation::subtract>(), factor);
    return true;
  }
  const V factor = quotient(pivot, below), right = d[k + 1];
  d[k] = below;
  d[k + 1] = less_product(du[k], factor, right);
  du[k] = right;
  if (has_fill) {
    const V second = du[k + 1];
    dl[k] = second;
    du[k + 1] = -(factor * second);
  }
  done(constant<row_operation::interchange>(), factor);
  return true;
}

/// Lets a right-hand side follow the elimination of a column; `row` is where the pivot's row is,
/// and `r` what it holds there, which becomes what the next row holds.
template <row_operation operation, class V>
[[gnu::always_inline]] inline void follow(constant<operation>, const V& factor, V& r, V* row) {
  if constexpr (operation == row_operation::subtract) {
    row[0] = r;
    r = less_product(row[1], factor, r);
  } else if constexpr (operation == row_operation::interchange) {
    row[0] = row[1];
    r = less_product(r, factor, row[1]);
  } else {
    row[0] = r;
    r = row[1];
  }
}

template <class V>
struct elimination_step {
  V factor;
  row_operation operation;
};

/// Lets some right-hand sides follow the elimination of the columns `first` to `last` - 1.
template <int columns, class V>
void forward(std::ptrdiff_t first, std::ptrdiff_t last, const elimination_step<V>* __restrict steps,
             V* __restrict b, std::ptrdiff_t ldb) {
  V r[columns];
  for (int j = 0; j < columns; ++j) r[j] = b[first + j * ldb];
  for (std::ptrdiff_t k = first; k < last; ++k) {
    const V factor = steps[k - first].factor;
    const auto all_follow = [&](auto operation) {
      for (int j = 0; j < columns; ++j) follow(operation, factor, r[j], b + k + j * ldb);
    };
    switch (steps[k - first].operation) {
      case row_operation::subtract:
        all_follow(constant<row_operation::subtract>());
        break;
      case row_operation::interchange:
        all_follow(constant<row_operation::interchange>());
        break;
      case row_operation::nothing:
        all_follow(constant<row_operation::nothing>());
        break;
    }
  }
  for (int j = 0; j < columns; ++j) b[last + j * ldb] = r[j];
}

/// Solves with U for some right-hand sides.
template <int columns, class V>
void backward(std::ptrdiff_t n, const V* __restrict fill, const V* __restrict d,
              const V* __restrict du, V* __restrict b, std::ptrdiff_t ldb) {
  V x1[columns], x2[columns];
  for (int j = 0; j < columns; ++j) {
    V* const last = b + n - 1 + j * ldb;
    last[0] = x1[j] = quotient(last[0], d[n - 1]);
  }
  if (n == 1) return;
  for (int j = 0; j < columns; ++j) {
    V* const row = b + n - 2 + j * ldb;
    x2[j] = x1[j];
    row[0] = x1[j] = quotient(less_product(row[0], du[n - 2], x2[j]), d[n - 2]);
  }
  for (std::ptrdiff_t k = n - 3; k >= 0; --k) {
    const V pivot = d[k], right = du[k], second = fill[k];
    for (int j = 0; j < columns; ++j) {
      V* const row = b + k + j * ldb;
      const V x = quotient(less_product(less_product(row[0], right, x1[j]), second, x2[j]), pivot);
      x2[j] = x1[j];
      row[0] = x1[j] = x;
    }
  }
}

/// Calls f(number of columns, first column) for groups of columns: their operations do not wait for
/// each other.
template <int columns = 8, class F>
void for_groups(std::ptrdiff_t first, std::ptrdiff_t count, F&& f) {
  for (; count - first >= columns; first += columns) {
    f(std::integral_constant<int, columns>(), first);
  }
  if constexpr (columns > 1) for_groups<columns / 2>(first, count, f);
}

/// Eliminates all columns, and few right-hand sides follow at once. Returns the number of columns
/// before the first pivot that is zero; n if there is none.
template <int columns, class V>
std::ptrdiff_t eliminate_with_few(std::ptrdiff_t n, V* __restrict dl, V* __restrict d,
                                  V* __restrict du, V* __restrict b, std::ptrdiff_t ldb) {
  V r[columns];
  for (int j = 0; j < columns; ++j) r[j] = b[j * ldb];
  std::ptrdiff_t k = 0;
  const auto all_follow = [&](auto operation, const V& factor) {
    for (int j = 0; j < columns; ++j) follow(operation, factor, r[j], b + k + j * ldb);
  };
  while (k < n - 1 && eliminate(k, n, dl, d, du, all_follow)) ++k;
  for (int j = 0; j < columns; ++j) b[k + j * ldb] = r[j];
  return k == n - 1 && !is_zero(d[k]) ? n : k;
}

/// Eliminates all columns, some at a time, and all right-hand sides follow. Returns what
/// `eliminate_with_few` does.
template <class V>
std::ptrdiff_t eliminate_with_many(std::ptrdiff_t n, std::ptrdiff_t nrhs, V* __restrict dl,
                                   V* __restrict d, V* __restrict du, V* __restrict b,
                                   std::ptrdiff_t ldb) {
  // What so many rows did stays in the nearest cache until all right-hand sides have followed.
  constexpr int chunk_rows = 128;
  elimination_step<V> steps[chunk_rows];
  for (std::ptrdiff_t first = 0; first < n - 1; first += chunk_rows) {
    const std::ptrdiff_t end = std::min(first + chunk_rows, n - 1);
    std::ptrdiff_t k = first;
    const auto record = [&](auto operation, const V& factor) {
      steps[k - first] = {factor, operation};
    };
    while (k < end && eliminate(k, n, dl, d, du, record)) ++k;
    for_groups(0, nrhs, [&](auto columns, std::ptrdiff_t j) {
      forward<columns>(first, k, steps, b + j * ldb, ldb);
    });
    if (k < end) return k;
  }
  return is_zero(d[n - 1]) ? n - 1 : n;
}

/// Does what `gtsv` does, for few right-hand sides.
template <int columns, class V>
std::ptrdiff_t solve_few(std::ptrdiff_t n, V* __restrict dl, V* __restrict d, V* __restrict du,
                         V* __restrict b, std::ptrdiff_t ldb) {
  const std::ptrdiff_t eliminated = eliminate_with_few<columns>(n, dl, d, du, b, ldb);
  if (eliminated < n) return eliminated + 1;
  backward<columns>(n, dl, d, du, b, ldb);
  return 0;
}

/// Solves A x = b, as xGTSV does, for valid arguments and n > 0. Returns `info`: 0, or the first k
/// from 1 for which U(k, k) is zero; row k and those below are then as the elimination found them,
/// in b as well.
template <class V>
std::ptrdiff_t gtsv(std::ptrdiff_t n, std::ptrdiff_t nrhs, V* __restrict dl, V* __restrict d,
                    V* __restrict du, V* __restrict b, std::ptrdiff_t ldb) {
  switch (nrhs) {
    case 1:
      return solve_few<1>(n, dl, d, du, b, ldb);
    case 2:
      return solve_few<2>(n, dl, d, du, b, ldb);
    case 3:
      return solve_few<3>(n, dl, d, du, b, ldb);
    case 4:
      return solve_few<4>(n, dl, d, du, b, ldb);
    default:
      break;
  }
  const std::ptrdiff_t eliminated = eliminate_with_many(n, nrhs, dl, d, du, b, ldb);
  if (eliminated < n) return eliminated + 1;
  for_groups(0, nrhs, [&](auto columns, std::ptrdiff_t j) {
    backward<columns>(n, dl, d, du, b + j * ldb, ldb);
  });
  return 0;
}

}  // namespace tridia::lapack
