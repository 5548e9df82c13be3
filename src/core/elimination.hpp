// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/value.hpp"
#include "tridia/types.hpp"

// Gaussian elimination works on one tridiagonal system, a column at a time, for any value V: a
// scalar, or a vector with a system in each lane. `elimination<V, pivoting, boundary>` has four
// variants: the two regular ones are here, the periodic ones in elimination_periodic.hpp. All have
// the same parts:
//
//   lower         what eliminating column k did: row k of L, and the interchange
//   upper         row k of U, scaled to a unit diagonal
//   factorization turns rows of A into lower and upper
//   forward       turns right-hand sides into y = L^-1 rhs, given lower; a y that is not finite
//                 makes the last one so
//   backward      turns y into x, given upper
//
// Rows enter in order. Eliminating column k needs row k + 1, so `start` takes row 0 and each `step`
// the next row; `finish(c)` eliminates the last `tail` columns, for which no row is left. A solve
// runs factorization and forward side by side; factoring once keeps lower and upper instead.
namespace tridia::core {

/// Holds row i of A: A(i, i-1), A(i, i), A(i, i+1). The entries outside the matrix must be zero, or
/// for a periodic matrix A(0, n-1) and A(n-1, 0).
template <class V>
struct row {
  V sub, diag, sup;
};

/// Records whether every y is finite. A row continues from the right-hand side of the row above it,
/// not from y, which would take two operations one after another; so y is checked separately. 0 y
/// is 0, or else NaN.
template <class V>
struct all_finite {
  V zero;
  TRIDIA_FN void start() { zero = V(0); }
  TRIDIA_FN V seen(const V& y) {
    zero = sub_mul(zero, V(0), y);
    return y;
  }
  /// Returns the last y; not finite if any was not.
  TRIDIA_FN V last(const V& y) const { return y + zero; }
};

template <class V, pivoting P, boundary B>
struct elimination;

/// This is the Thomas algorithm in the form of Crout: it keeps 2 values per row and takes one
/// division.
template <class V>
struct elimination<V, pivoting::none, boundary::regular> {
  static constexpr int tail = 1;
  static constexpr int lower_values = 2, upper_values = 1;
  static constexpr boundary boundary_kind = boundary::regular;

  struct lower {
    V w, below;  // 1 / pivot; the entry below it over the pivot
    TRIDIA_FN void put(V* values) const { values[0] = w, values[1] = below; }
    TRIDIA_FN void get(const V* values) { w = values[0], below = values[1]; }
  };
  struct upper {
    V next;  // U(k, k+1)
    TRIDIA_FN void put(V* values) const { values[0] = next; }
    TRIDIA_FN void get(const V* values) { next = values[0]; }
  };

  struct factorization {
    V pivot, right;  // row k so far: columns k and k+1
    V last_pivot;

    TRIDIA_FN void start(const row<V>& first, const row<V>&, index_t) {
      pivot = first.diag;
      right = first.sup;
    }
    TRIDIA_FN void step(const row<V>& in, index_t, lower& l, upper& u) {
      last_pivot = pivot;
      const V w = reciprocal(pivot);
      l = {w, in.sub * w};
      u = {right * w};
      pivot = sub_mul(in.diag, in.sub, u.next);
      right = in.sup;
    }
    TRIDIA_FN void finish(int, lower& l, upper& u) {
      last_pivot = pivot;
      l = {reciprocal(pivot), V(0)};
      u = {V(0)};
    }
  };

  struct forward {
    V r;
    all_finite<V> check;
    TRIDIA_FN void start(V first, V) {
      r = first;
      check.start();
    }
    TRIDIA_FN V step(const lower& l, V in) {
      const V y = r * l.w;
      r = sub_mul(in, l.below, r);
      return check.seen(y);
    }
    TRIDIA_FN V finish(int, const lower& l) { return check.last(r * l.w); }
  };

  struct backward {
    V x1;
    TRIDIA_FN V finish(int, const upper&, V y) { return x1 = y; }
    TRIDIA_FN V step(const upper& u, V y) { return x1 = sub_mul(y, u.next, x1); }
  };
};

/// This is elimination with partial pivoting, as in LAPACK's xGTSV: of row k so far and row k + 1,
/// the one with the larger entry in column k becomes the pivot row, which fills a second
/// superdiagonal.
template <class V>
struct elimination<V, pivoting::partial, boundary::regular> {
  static constexpr int tail = 1;
  static constexpr int lower_values = 3, upper_values = 2;
  static constexpr boundary boundary_kind = boundary::regular;

  struct lower {
    V w, below;
    mask_t<V> swapped;
    TRIDIA_FN void put(V* values) const {
      values[0] = w, values[1] = below, values[2] = from_mask<V>(swapped);
    }
    TRIDIA_FN void get(const V* values) {
      w = values[0], below = values[1], swapped = to_mask(values[2]);
    }
  };
  struct upper {
    V next, fill;  // U(k, k+1), U(k, k+2)
    TRIDIA_FN void put(V* values) const { values[0] = next, values[1] = fill; }
    TRIDIA_FN void get(const V* values) { next = values[0], fill = values[1]; }
  };

  struct factorization {
    V pivot, right;
    V last_pivot;

    TRIDIA_FN void start(const row<V>& first, const row<V>&, index_t) {
      pivot = first.diag;
      right = first.sup;
    }
    TRIDIA_FN void step(const row<V>& in, index_t, lower& l, upper& u) {
      V below = in.sub, below_right = in.diag, fill = V(0), below_fill = in.sup;
      l.swapped = magnitude(below) > magnitude(pivot);
      swap_if(l.swapped, pivot, below);
      swap_if(l.swapped, right, below_right);
      swap_if(l.swapped, fill, below_fill);
      last_pivot = pivot;
      l.w = reciprocal(pivot);
      l.below = below * l.w;
      u = {right * l.w, fill * l.w};
      pivot = sub_mul(below_right, below, u.next);
      right = sub_mul(below_fill, below, u.fill);
    }
    TRIDIA_FN void finish(int, lower& l, upper& u) {
      last_pivot = pivot;
      l = {reciprocal(pivot), V(0), mask_t<V>(false)};
      u = {V(0), V(0)};
    }
  };

  struct forward {
    V r;
    all_finite<V> check;
    TRIDIA_FN void start(V first, V) {
      r = first;
      check.start();
    }
    TRIDIA_FN V step(const lower& l, V in) {
      swap_if(l.swapped, r, in);
      const V y = r * l.w;
      r = sub_mul(in, l.below, r);
      return check.seen(y);
    }
    TRIDIA_FN V finish(int, const lower& l) { return check.last(r * l.w); }
  };

  struct backward {
    V x1, x2;
    TRIDIA_FN V finish(int, const upper&, V y) {
      x2 = V(0);
      return x1 = y;
    }
    TRIDIA_FN V step(const upper& u, V y) {
      const V x = sub_mul(sub_mul(y, u.fill, x2), u.next, x1);
      x2 = x1;
      return x1 = x;
    }
  };
};

}  // namespace tridia::core
