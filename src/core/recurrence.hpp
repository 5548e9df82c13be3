// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"

// Solving with factors known beforehand evaluates two first-order recurrences along a line,
//
//   y_k = b_k - lower_k y_(k-1)          down,
//   x_k = inverse_k y_k - upper_k x_(k+1)   and back,
//
// cut into chunks of consecutive rows. What a chunk needs of the others is one number: it finds the
// value at its end as if nothing came in (`down_end`, `back_end`), the true value that comes in is
// a scan over the chunks before it, each of which multiplies what comes in by a number of the
// matrix alone (`chunk_factor`), and then the rows follow (`down`, `back`). G. E.
// Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990, section 1.4.
namespace tridia::core {

/// Returns the factor by which a chunk of `rows` rows multiplies the value that comes in;
/// `factor(i)` is lower, or upper, of row i.
template <class V, class Factor>
TRIDIA_FN V chunk_factor(int rows, Factor factor) {
  V product(1);
  for (int i = 0; i < rows; ++i) product = -(product * factor(i));
  return product;
}

/// Holds the rows of a chunk. `factors.lower(i)`, `inverse(i)` and `upper(i)` are the factors of
/// its row i. Rows beyond the end of a line pass on the value that comes in: lower = upper = -1,
/// inverse = 0, value = 0.
template <class V, int Rows>
struct recurrence_chunk {
  V value[Rows];  // b, then inverse y, then x

  template <class Factors>
  TRIDIA_FN V down_end(const Factors& f) const {
    V y = value[0];
    TRIDIA_UNROLL
    for (int i = 1; i < Rows; ++i) y = sub_mul(value[i], f.lower(i), y);
    return y;
  }
  template <class Factors>
  TRIDIA_FN void down(const Factors& f, V y) {
    TRIDIA_UNROLL
    for (int i = 0; i < Rows; ++i) {
      y = sub_mul(value[i], f.lower(i), y);
      value[i] = f.inverse(i) * y;
    }
  }
  template <class Factors>
  TRIDIA_FN V back_end(const Factors& f) const {
    V x = value[Rows - 1];
    TRIDIA_UNROLL
    for (int i = Rows - 2; i >= 0; --i) x = sub_mul(value[i], f.upper(i), x);
    return x;
  }
  template <class Factors>
  TRIDIA_FN void back(const Factors& f, V x) {
    TRIDIA_UNROLL
    for (int i = Rows - 1; i >= 0; --i) value[i] = x = sub_mul(value[i], f.upper(i), x);
  }
  /// Returns whether all values are finite; it checks several at a time, which do not wait for each
  /// other.
  TRIDIA_FN bool finite() const {
    constexpr int together = 4;
    all_finite<V> check[together];
    TRIDIA_UNROLL
    for (int i = 0; i < together; ++i) check[i].start();
    TRIDIA_UNROLL
    for (int i = 0; i < Rows; ++i) check[i % together].seen(value[i]);
    return is_finite((check[0].zero + check[1].zero) + (check[2].zero + check[3].zero));
  }
};

}  // namespace tridia::core
