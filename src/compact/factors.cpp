// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/factors.hpp"

#include "solver/constant.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tridia::compact {
namespace {

using number = long double;
using numbers = std::vector<number>;

struct diagonals {
  numbers sub, diag, sup;
  [[nodiscard]] std::size_t size() const { return diag.size(); }
};

diagonals diagonals_of(const near_toeplitz& a, index_t rows) {
  diagonals m;
  for (index_t i = 0; i < rows; ++i) {
    const near_toeplitz::row& r = solver::row_of(a, rows, i);
    m.sub.push_back(r.dl.real());
    m.diag.push_back(r.d.real());
    m.sup.push_back(r.du.real());
  }
  return m;
}

/// A pivot that is nothing but the rounding of coefficients of that size is no pivot.
void check_pivot(number pivot, number size, std::size_t row) {
  constexpr number rounding = 16 * std::numeric_limits<double>::epsilon();
  if (std::isfinite(pivot) && std::fabs(pivot) > rounding * size) return;
  throw error(errc::invalid_argument,
              "scheme: its matrix is singular for lines of this length: pivot " +
                  std::to_string(row) + " is " + (std::isfinite(pivot) ? "0" : "not finite"));
}

number row_size(const diagonals& m, std::size_t i) {
  return std::fabs(m.sub[i]) + std::fabs(m.diag[i]) + std::fabs(m.sup[i]);
}

/// Of a regular matrix: its first sub and last sup are not there.
std::vector<factor_row> eliminate(const diagonals& m) {
  const std::size_t n = m.size();
  std::vector<factor_row> rows(n);
  number pivot = n > 0 ? m.diag[0] : 1, right = n > 0 ? m.sup[0] : 0;
  for (std::size_t i = 0; i < n; ++i) {
    factor_row& r = rows[i];
    if (i + 1 == n) {
      check_pivot(pivot, row_size(m, i), i);
      r.pivot = 1 / pivot;
      break;
    }
    number below = m.sub[i + 1], below_right = m.diag[i + 1], fill = 0;
    number below_fill = i + 2 < n ? m.sup[i + 1] : 0;
    factor_row& after = rows[i + 1];
    after.swapped = std::fabs(below) > std::fabs(pivot);
    if (after.swapped) {
      std::swap(pivot, below);
      std::swap(right, below_right);
      std::swap(fill, below_fill);
    }
    check_pivot(pivot, row_size(m, i), i);
    r.pivot = 1 / pivot;
    r.next = right / pivot;
    r.fill = fill / pivot;
    after.below = below / pivot;
    pivot = below_right - after.below * right;
    right = below_fill - after.below * fill;
  }
  return rows;
}

void solve(const std::vector<factor_row>& rows, numbers& x) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].swapped) std::swap(x[i - 1], x[i]);
    x[i] -= rows[i].below * x[i - 1];
  }
  number next = 0, after = 0;
  for (std::size_t i = rows.size(); i-- > 0;) {
    x[i] = rows[i].pivot * x[i] - rows[i].next * next - rows[i].fill * after;
    after = std::exchange(next, x[i]);
  }
}

/// What has decayed below all rounding is nothing, and costs nothing.
void forget_small(numbers& v) {
  number largest = 0;
  for (const number x : v) largest = std::max(largest, std::fabs(x));
  for (number& x : v) {
    if (std::fabs(x) < 1e-24L * largest) x = 0;
  }
}

factors border(const diagonals& m) {
  const std::size_t n = m.size() - 1;
  diagonals inner{{m.sub.begin(), m.sub.end() - 1},
                  {m.diag.begin(), m.diag.end() - 1},
                  {m.sup.begin(), m.sup.end() - 1}};
  numbers column(n), row(n);
  column[0] += m.sub[0];
  column[n - 1] += m.sup[n - 1];
  row[0] += m.sup[n];
  row[n - 1] += m.sub[n];
  const numbers last = row;
  // The border is multiplied with the inverse from the left: a solve with the transpose.
  diagonals transposed = inner;
  for (std::size_t i = 1; i < n; ++i) {
    transposed.sub[i] = inner.sup[i - 1];
    transposed.sup[i - 1] = inner.sub[i];
  }
  factors f{eliminate(inner), 0};
  solve(f.rows, column);
  solve(eliminate(transposed), row);
  const number pivot = m.diag[n] - last[0] * column[0] - (n > 1 ? last[n - 1] * column[n - 1] : 0);
  check_pivot(pivot, row_size(m, n), n);
  f.corner = 1 / pivot;
  forget_small(row);
  forget_small(column);
  for (std::size_t i = 0; i < n; ++i) {
    f.rows[i].border = row[i];
    f.rows[i].column = column[i];
  }
  return f;
}

}  // namespace

factors factor(const near_toeplitz& a, index_t rows, boundary ends) {
  const diagonals m = diagonals_of(a, rows);
  return ends == boundary::periodic ? border(m) : factors{eliminate(m), 0};
}

}  // namespace tridia::compact
