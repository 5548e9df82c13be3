// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cpu/line_factors.hpp"

#include "line_operator/constant.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tridia::line_operator::cpu {
namespace {

using row = core::row<wide>;
using numbers = std::vector<wide>;

/// Rejects a pivot that is no larger than the rounding errors of coefficients of that size.
void check_pivot(long double pivot, const row& of, index_t index) {
  constexpr long double rounding = 16 * std::numeric_limits<double>::epsilon();
  const long double size =
      std::fabs(of.sub.re.v) + std::fabs(of.diag.re.v) + std::fabs(of.sup.re.v);
  if (std::isfinite(pivot) && std::fabs(pivot) > rounding * size) return;
  throw error(errc::singular, "matrix: is singular for lines of this length: pivot " +
                                  std::to_string(index) + " is 0");
}

std::vector<line_factor_row> regular_rows(constant_matrix m) {
  std::vector<line_factor_row> result(m.rows.size());
  if (result.empty()) return result;
  m.rows.front().sub = m.rows.back().sup = wide(0);
  const constant_factors f = eliminate(m, pivoting::partial);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const factored_row r = row_of(f, static_cast<index_t>(i));
    check_pivot(1 / r.inverse.re.v, m.rows[i], static_cast<index_t>(i));
    result[i].pivot = r.inverse.re.v;
    result[i].next = r.next.re.v;
    result[i].fill = r.fill.re.v;
    if (i + 1 == result.size()) break;
    result[i + 1].below = r.below.re.v;
    result[i + 1].swapped = r.swapped;
  }
  return result;
}

/// Returns the last column of the inverse of a matrix.
numbers last_column(const constant_matrix& m) {
  numbers unit(m.rows.size(), wide(0));
  unit.back() = wide(1);
  return solve(eliminate(m, pivoting::partial), std::move(unit));
}

/// Returns the numbers over that of the last row, with the other sign, without those that have
/// decayed below all rounding: they then cost nothing.
std::vector<long double> over_last(const numbers& v) {
  const long double last = v.back().re.v;
  std::vector<long double> all;
  for (std::size_t i = 0; i + 1 < v.size(); ++i) all.push_back(-v[i].re.v / last);
  long double largest = 0;
  for (const long double x : all) largest = std::max(largest, std::fabs(x));
  for (long double& x : all) x = std::fabs(x) < 1e-24L * largest ? 0 : x;
  return all;
}

/// Factors a periodic matrix: its inverse times the last unit vector is 1 / pivot of the last row,
/// and minus that times `column` before it; `border` is that of the transpose.
line_factors bordered(const specification& line, const constant_matrix& m) {
  constant_matrix inner{boundary::regular, {m.rows.begin(), m.rows.end() - 1}};
  line_factors result{regular_rows(std::move(inner)), 0};
  const numbers column = last_column(m),
                border = last_column(matrix_of(line, operation::transpose));
  result.corner = column.back().re.v;
  check_pivot(1 / result.corner, m.rows.back(), line.rows - 1);
  const std::vector<long double> columns = over_last(column), borders = over_last(border);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    result.rows[i].border = borders[i];
    result.rows[i].column = columns[i];
  }
  return result;
}

}  // namespace

line_factors factor_line(const specification& line) {
  constant_matrix m = matrix_of(line);
  if (line.boundary == boundary::periodic) return bordered(line, m);
  return {regular_rows(std::move(m)), 0};
}

}  // namespace tridia::line_operator::cpu
