// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/reciprocal.hpp"

// These variants eliminate a periodic system of n >= 3 rows (shorter ones are not tridiagonal any
// more: see core/line.hpp, `folded`). Row n - 1 reaches column 0, so it is carried along from the
// start as a second row, `bottom`, which fills the last columns. Rows 0 to n - 2 enter in order.
namespace tridia::core {

template <class V>
struct elimination<V, pivoting::none, boundary::periodic> {
  static constexpr int tail = 2;
  static constexpr int lower_values = 3, upper_values = 2;
  static constexpr boundary boundary_kind = boundary::periodic;

  struct lower {
    V w, below, bottom;  // 1 / pivot; the entries below it in rows k + 1 and n - 1 over the pivot
    TRIDIA_FN void put(V* values) const { values[0] = w, values[1] = below, values[2] = bottom; }
    TRIDIA_FN void get(const V* values) { w = values[0], below = values[1], bottom = values[2]; }
  };
  struct upper {
    V next, last;  // U(k, k+1), U(k, n-1)
    TRIDIA_FN void put(V* values) const { values[0] = next, values[1] = last; }
    TRIDIA_FN void get(const V* values) { next = values[0], last = values[1]; }
  };

  struct factorization {
    V pivot, right, last;                       // row k so far: columns k, k+1, n-1
    V bottom, bottom_before_last, bottom_last;  // row n-1 so far: columns k, n-2, n-1
    V last_pivot;

    TRIDIA_FN void start(const row<V>& first, const row<V>& final, index_t) {
      pivot = first.diag;
      right = first.sup;
      last = first.sub;
      bottom = final.sup;
      bottom_before_last = final.sub;
      bottom_last = final.diag;
    }
    /// Eliminates a column; `to_last` is n - 1 minus the number of the row that enters.
    TRIDIA_FN void step(const row<V>& in, index_t to_last, lower& l, upper& u) {
      last_pivot = pivot;
      const V w = reciprocal(pivot);
      l = {w, in.sub * w, bottom * w};
      u = {right * w, last * w};
      pivot = sub_mul(in.diag, in.sub, u.next);
      bottom_last = sub_mul(bottom_last, bottom, u.last);
      bottom = without_subnormals(sub_mul(V(0), bottom, u.next));
      right = in.sup;
      last = without_subnormals(sub_mul(V(0), in.sub, u.last));
      if (to_last == 1) {  // column k + 1 is column n - 1 of this row, and column k is n - 2
        last = last + right;
        right = V(0);
        bottom = bottom + bottom_before_last;
      }
    }
    TRIDIA_FN void finish(int column, lower& l, upper& u) {
      last_pivot = pivot;
      const V w = reciprocal(pivot);
      l = {w, V(0), bottom * w};
      u = {V(0), last * w};
      if (column == 0) pivot = sub_mul(bottom_last, bottom, u.last);
      bottom = V(0);
      last = V(0);
    }
  };

  struct forward {
    V r, bottom;
    all_finite<V> check;
    TRIDIA_FN void start(V first, V final) {
      r = first, bottom = final;
      check.start();
    }
    TRIDIA_FN V step(const lower& l, V in) {
      const V y = r * l.w;
      bottom = sub_mul(bottom, l.bottom, r);
      r = sub_mul(in, l.below, r);
      return check.seen(y);
    }
    TRIDIA_FN V finish(int column, const lower& l) {
      const V y = r * l.w;
      if (column == 1) return check.last(y);
      r = sub_mul(bottom, l.bottom, r);
      return check.seen(y);
    }
  };

  struct backward {
    V x1, x_last;
    TRIDIA_FN V finish(int column, const upper& u, V y) {
      if (column == 1) return x_last = y;
      return x1 = sub_mul(y, u.last, x_last);
    }
    TRIDIA_FN V step(const upper& u, V y) {
      return x1 = sub_mul(sub_mul(y, u.last, x_last), u.next, x1);
    }
  };
};

/// Pivots among all rows that reach column k: row k so far, row k + 1, and the carried one. This is
/// what LAPACK's xGESV would do with the whole matrix; pivoting within the tridiagonal part alone
/// fails where that part is singular and the matrix is not. As row n - 1 may become a pivot row at
/// any time, columns n - 2 and n - 1 both fill.
template <class V>
struct elimination<V, pivoting::partial, boundary::periodic> {
  static constexpr int tail = 2;
  static constexpr int lower_values = 5, upper_values = 4;
  static constexpr boundary boundary_kind = boundary::periodic;

  struct lower {
    V w, below, bottom;
    mask_t<V> swapped_bottom, swapped_next;  // the interchanges, in this order
    TRIDIA_FN void put(V* values) const {
      values[0] = w, values[1] = below, values[2] = bottom;
      values[3] = from_mask<V>(swapped_bottom), values[4] = from_mask<V>(swapped_next);
    }
    TRIDIA_FN void get(const V* values) {
      w = values[0], below = values[1], bottom = values[2];
      swapped_bottom = to_mask(values[3]), swapped_next = to_mask(values[4]);
    }
  };
  struct upper {
    V next, fill, before_last, last;  // U(k, k+1), U(k, k+2), U(k, n-2), U(k, n-1)
    TRIDIA_FN void put(V* values) const {
      values[0] = next, values[1] = fill, values[2] = before_last, values[3] = last;
    }
    TRIDIA_FN void get(const V* values) {
      next = values[0], fill = values[1], before_last = values[2], last = values[3];
    }
  };

  struct factorization {
    // This holds a row's entries in columns k, k+1, k+2, n-2, n-1; where two of the columns
    // coincide, `before_last` or `last` holds the entry.
    struct entries {
      V here, next, fill, before_last, last;
    };
    entries top, bottom;
    V last_pivot;

    static TRIDIA_FN entries place(const row<V>& in, index_t to_last) {
      const V zero(0);
      if (to_last == 2) return {in.sub, in.diag, zero, in.sup, zero};
      if (to_last == 1) return {in.sub, zero, zero, in.diag, in.sup};
      return {in.sub, in.diag, in.sup, zero, zero};
    }
    static TRIDIA_FN void swap_rows(mask_t<V> m, entries& a, entries& b) {
      swap_if(m, a.here, b.here);
      swap_if(m, a.next, b.next);
      swap_if(m, a.fill, b.fill);
      swap_if(m, a.before_last, b.before_last);
      swap_if(m, a.last, b.last);
    }
    /// Returns row r after column k is eliminated from it, with its entries shifted by a column.
    static TRIDIA_FN entries eliminate(const entries& r, const upper& u) {
      return {without_subnormals(sub_mul(r.next, r.here, u.next)), sub_mul(r.fill, r.here, u.fill),
              V(0), without_subnormals(sub_mul(r.before_last, r.here, u.before_last)),
              without_subnormals(sub_mul(r.last, r.here, u.last))};
    }

    TRIDIA_FN void start(const row<V>& first, const row<V>& final, index_t n) {
      const V zero(0);
      top = {first.diag, n == 3 ? zero : first.sup, zero, n == 3 ? first.sup : zero, first.sub};
      bottom = {final.sup, zero, zero, final.sub, final.diag};
    }
    TRIDIA_FN void step(const row<V>& in, index_t to_last, lower& l, upper& u) {
      entries below = place(in, to_last);
      l.swapped_bottom = magnitude(bottom.here) > magnitude(top.here);
      swap_rows(l.swapped_bottom, top, bottom);
      l.swapped_next = magnitude(below.here) > magnitude(top.here);
      swap_rows(l.swapped_next, top, below);
      last_pivot = top.here;
      l.w = reciprocal(top.here);
      l.below = below.here * l.w;
      l.bottom = bottom.here * l.w;
      u = {top.next * l.w, top.fill * l.w, top.before_last * l.w, top.last * l.w};
      top = eliminate(below, u);
      bottom = eliminate(bottom, u);
    }
    TRIDIA_FN void finish(int column, lower& l, upper& u) {
      const V zero(0);
      if (column == 0) {
        l.swapped_bottom = magnitude(bottom.before_last) > magnitude(top.before_last);
        swap_rows(l.swapped_bottom, top, bottom);
        last_pivot = top.before_last;
      } else {
        l.swapped_bottom = mask_t<V>(false);
        last_pivot = top.last;
      }
      l.swapped_next = mask_t<V>(false);
      l.w = reciprocal(last_pivot);
      l.below = zero;
      l.bottom = column == 0 ? bottom.before_last * l.w : zero;
      u = {zero, zero, zero, column == 0 ? top.last * l.w : zero};
      if (column == 0) top.last = sub_mul(bottom.last, bottom.before_last, u.last);
    }
  };

  struct forward {
    V r, bottom;
    all_finite<V> check;
    TRIDIA_FN void start(V first, V final) {
      r = first, bottom = final;
      check.start();
    }
    TRIDIA_FN V step(const lower& l, V in) {
      swap_if(l.swapped_bottom, r, bottom);
      swap_if(l.swapped_next, r, in);
      const V y = r * l.w;
      bottom = sub_mul(bottom, l.bottom, r);
      r = sub_mul(in, l.below, r);
      return check.seen(y);
    }
    TRIDIA_FN V finish(int column, const lower& l) {
      swap_if(l.swapped_bottom, r, bottom);
      const V y = r * l.w;
      if (column == 1) return check.last(y);
      r = sub_mul(bottom, l.bottom, r);
      return check.seen(y);
    }
  };

  struct backward {
    V x1, x2, x_before_last, x_last;
    TRIDIA_FN V finish(int column, const upper& u, V y) {
      if (column == 1) return x_last = y;
      x1 = x_before_last = sub_mul(y, u.last, x_last);
      x2 = x_last;
      return x1;
    }
    TRIDIA_FN V step(const upper& u, V y) {
      V x = sub_mul(sub_mul(y, u.last, x_last), u.before_last, x_before_last);
      x = sub_mul(sub_mul(x, u.fill, x2), u.next, x1);
      x2 = x1;
      return x1 = x;
    }
  };
};

}  // namespace tridia::core
