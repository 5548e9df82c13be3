// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/factors.hpp"

#include "line_operator/constant.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tridia::compact {
namespace {

using line_operator::wide;
using row = core::row<wide>;
using numbers = std::vector<wide>;

/// Holds a row: sub of row 0 is A(0, n-1) and sup of the last row A(n-1, 0), whether the matrix is
/// periodic or not.
std::vector<row> rows_of(const near_toeplitz& a, index_t n) {
  const auto real = [](std::complex<double> v) {
    return wide{core::extended(v.real()), core::extended(0)};
  };
  std::vector<row> rows;
  for (index_t i = 0; i < n; ++i) {
    const near_toeplitz::row& r = line_operator::row_of(a, n, i);
    rows.push_back({real(r.dl), real(r.d), real(r.du)});
  }
  return rows;
}

/// Rejects a pivot that is no larger than the rounding errors of coefficients of that size.
void check_pivot(long double pivot, const row& of, std::size_t index) {
  constexpr long double rounding = 16 * std::numeric_limits<double>::epsilon();
  const long double size =
      std::fabs(of.sub.re.v) + std::fabs(of.diag.re.v) + std::fabs(of.sup.re.v);
  if (std::isfinite(pivot) && std::fabs(pivot) > rounding * size) return;
  throw error(errc::invalid_argument,
              "scheme: its matrix is singular for lines of this length: pivot " +
                  std::to_string(index) + " is 0");
}

/// Factors the rows as a regular matrix: the first sub and the last sup are left out.
class regular_factors {
 public:
  explicit regular_factors(std::vector<row> rows) : matrix_{boundary::regular, std::move(rows)} {
    if (matrix_.rows.empty()) return;
    matrix_.rows.front().sub = matrix_.rows.back().sup = wide(0);
    factors_ = line_operator::eliminate(matrix_, pivoting::partial);
    for (std::size_t i = 0; i < matrix_.rows.size(); ++i) {
      check_pivot(1 / row_of(factors_, static_cast<index_t>(i)).inverse.re.v, matrix_.rows[i], i);
    }
  }

  numbers solve(numbers x) const { return line_operator::solve(factors_, std::move(x)); }

  std::vector<factor_row> rows() const {
    std::vector<factor_row> result(matrix_.rows.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const line_operator::factored_row r = row_of(factors_, static_cast<index_t>(i));
      result[i].pivot = r.inverse.re.v;
      result[i].next = r.next.re.v;
      result[i].fill = r.fill.re.v;
      if (i + 1 == result.size()) break;
      result[i + 1].below = r.below.re.v;
      result[i + 1].swapped = r.swapped;
    }
    return result;
  }
  line_operator::constant_factors eliminated() && { return std::move(factors_); }

 private:
  line_operator::constant_matrix matrix_;
  line_operator::constant_factors factors_{};
};

/// Sets entries that have decayed below all rounding to zero, so that they cost nothing.
void forget_small(numbers& v) {
  long double largest = 0;
  for (const wide& x : v) largest = std::max(largest, core::magnitude(x).v);
  for (wide& x : v) {
    if (core::magnitude(x).v < 1e-24L * largest) x = wide(0);
  }
}

factors border(const std::vector<row>& m) {
  const std::size_t n = m.size() - 1;
  const std::vector<row> inner(m.begin(), m.end() - 1);
  numbers column(n, wide(0)), bordered(n, wide(0));
  column[0] = column[0] + m[0].sub;
  column[n - 1] = column[n - 1] + m[n - 1].sup;
  bordered[0] = bordered[0] + m[n].sup;
  bordered[n - 1] = bordered[n - 1] + m[n].sub;
  const numbers last = bordered;
  // The border is multiplied with the inverse from the left: a solve with the transpose.
  std::vector<row> transposed = inner;
  for (std::size_t i = 1; i < n; ++i) {
    transposed[i].sub = inner[i - 1].sup;
    transposed[i - 1].sup = inner[i].sub;
  }
  const regular_factors f(inner);
  column = f.solve(std::move(column));
  bordered = regular_factors(transposed).solve(std::move(bordered));
  wide pivot = core::sub_mul(m[n].diag, last[0], column[0]);
  if (n > 1) pivot = core::sub_mul(pivot, last[n - 1], column[n - 1]);
  check_pivot(pivot.re.v, m[n], n);
  forget_small(bordered);
  forget_small(column);
  factors result{f.rows(), 1 / pivot.re.v, {}};
  for (std::size_t i = 0; i < n; ++i) {
    result.rows[i].border = bordered[i].re.v;
    result.rows[i].column = column[i].re.v;
  }
  return result;
}

}  // namespace

factors factor(const near_toeplitz& a, index_t rows, boundary ends) {
  const std::vector<row> m = rows_of(a, rows);
  if (ends == boundary::periodic) return border(m);
  regular_factors f(m);
  std::vector<factor_row> of_rows = f.rows();
  return {std::move(of_rows), 0, std::move(f).eliminated()};
}

}  // namespace tridia::compact
