// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/elimination.hpp"
#include "core/elimination_periodic.hpp"
#include "core/growth.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "tridia/types.hpp"

// The sweeps of operators solve with the numbers of rows (line_operator/cpu/line_factors.hpp). Here
// they are made of the factors that the kernels of single systems have saved: those have L and U of
// the whole matrix, and of a periodic one the sweeps take the first n - 1 rows and columns, with
// the last ones as a border.
namespace tridia::cpu {

/// Makes the table of one matrix of `rows` rows.
template <class R, pivoting P, boundary B>
class substitution_table {
 public:
  using numbers = line_operator::cpu::row_numbers<R>;

  substitution_table(const void* factors, index_t rows, numbers* to)
      : factors_(static_cast<const R*>(factors)), rows_(rows), to_(to) {}

  /// Writes the numbers of all rows. Returns whether the sweeps solve as fast with them, and as
  /// accurately, as substitution with the factors: where few rows are interchanged, none of them
  /// with the last one of a periodic matrix, and where border and column of that are bounded.
  bool make() const {
    index_t interchanged = 0;
    bool swapped = false;
    R below = 0;
    for (index_t k = 0; k < rows_; ++k) {
      const column c = column_at(k);
      if (c.takes_last) return false;
      to_[k] = {below, c.w,     c.next,      c.fill,        c.bottom,   c.last,
                R(1),  swapped, c.fill != 0, c.bottom != 0, c.last != 0};
      below = c.below;
      swapped = c.swapped;
      interchanged += swapped ? 1 : 0;
    }
    if (8 * interchanged > rows_) return false;
    if constexpr (B == boundary::regular) return true;
    return make_border();
  }

 private:
  using elimination = core::elimination<R, P, B>;

  /// Holds what eliminating a column has kept, whatever the variant: numbers that this does not
  /// have are zero.
  struct column {
    R w, below, next, fill = 0;
    R bottom = 0, last = 0;   // L(n-1, k), U(k, n-1) of a periodic matrix
    bool swapped = false;     // with the next row,
    bool takes_last = false;  // or with the last one
  };

  column column_at(index_t k) const {
    constexpr int values = elimination::lower_values + elimination::upper_values;
    const R* const at = factors_ + k * values;
    typename elimination::lower l;
    typename elimination::upper u;
    l.get(at), u.get(at + elimination::lower_values);
    column c{l.w, l.below, u.next};
    if constexpr (B == boundary::periodic) c.bottom = l.bottom, c.last = u.last;
    if constexpr (P == pivoting::partial) c.fill = u.fill;
    if constexpr (P == pivoting::partial && B == boundary::regular) c.swapped = l.swapped;
    if constexpr (P == pivoting::partial && B == boundary::periodic) {
      c.swapped = l.swapped_next, c.takes_last = l.swapped_bottom;
      // Column n - 2 is a column beside the last one there.
      if (k == rows_ - 3) c.next = u.before_last;
      if (k == rows_ - 4) c.fill = u.before_last;
    }
    return c;
  }

  /// Makes border and column of what the factors hold of the last row and column. Both are
  /// recurrences up the rows: the border, of which
  ///   sum of L(n-1, k) c[k] = sum of border r[k],
  /// where c is r eliminated, is one of the transpose of L; and the column is U solved with its
  /// last one. Returns whether they are bounded: the sweeps add up all r at once, and take x[n-1]
  /// off all x at once, which substitution does row after row. They lose as many digits as these
  /// terms are larger than what is left.
  bool make_border() const {
    double border = to_[rows_ - 2].border, x1 = 0, x2 = 0;
    bool bounded = true;
    for (index_t k = rows_ - 2; k >= 0; --k) {
      numbers& n = to_[k];
      const double x = (n.column - n.fill * x2) - n.next * x1;
      x2 = x1, x1 = x;
      const double before = (k > 0 ? to_[k - 1].border : 0) - n.below * border;
      const double own = n.swapped ? before : border;
      border = n.swapped ? border : before;
      set_border(n, own, x);
      bounded = bounded && core::is_bounded(n.border) && core::is_bounded(n.column);
    }
    return bounded;
  }
  static void set_border(numbers& n, double border, double column) {
    n.border = core::without_subnormals(static_cast<R>(border));
    n.column = core::without_subnormals(static_cast<R>(column));
    n.bordered = n.border != 0, n.columned = n.column != 0;
  }

  const R* factors_;
  index_t rows_;
  numbers* to_;
};

}  // namespace tridia::cpu
