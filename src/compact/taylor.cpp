// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/taylor.hpp"

#include "core/refuse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tridia {
namespace {

[[noreturn]] void refuse_row(const std::string& why) { refuse("row: " + why); }

std::string text(long double v) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.9Lg", v);
  return buffer;
}

/// Holds the two sides of a row for f = x^m around the row's own position, with h = 1, and the sum
/// of the magnitudes of their terms.
struct sides {
  long double left = 0, right = 0, magnitude = 0;
};

sides moments(const compact_row& row, tridia::quantity quantity, tridia::staggering staggering,
              int m) {
  sides s;
  const int q = compact::derivative_of(quantity);
  long double factor = 1;  // d^q x^m = factor x^(m-q)
  for (int k = 0; k < q; ++k) factor *= m - k;
  const auto add = [&s](long double& side, long double term) {
    side += term;
    s.magnitude += std::fabs(term);
  };
  const double diagonals[] = {row.sub, row.diag, row.sup};
  for (int j = -1; j <= 1 && m >= q; ++j) {
    add(s.left, diagonals[j + 1] * factor * std::pow(static_cast<long double>(j), m - q));
  }
  const auto offset = static_cast<long double>(compact::offset_of(staggering));
  for (std::size_t k = 0; k < row.weights.size(); ++k) {
    add(s.right, row.weights[k] * std::pow(row.first + static_cast<long double>(k) + offset, m));
  }
  return s;
}

/// Returns whether they are equal up to the rounding of coefficients that were given in double.
bool agree(const sides& s) {
  return std::fabs(s.left - s.right) <= 16 * std::numeric_limits<double>::epsilon() * s.magnitude;
}

void check_numbers(const compact_row& row) {
  if (row.weights.empty()) refuse_row("weights is empty, but a row needs at least one");
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!finite(row.sub) || !finite(row.diag) || !finite(row.sup)) {
    refuse_row("sub, diag, sup are " + text(row.sub) + ", " + text(row.diag) + ", " +
               text(row.sup) + ", which are not all finite");
  }
  for (std::size_t k = 0; k < row.weights.size(); ++k) {
    if (finite(row.weights[k])) continue;
    refuse_row("weights[" + std::to_string(k) + "] is " + text(row.weights[k]) + ", not finite");
  }
  if (row.sub == 0 && row.diag == 0 && row.sup == 0) refuse_row("sub, diag and sup are all zero");
}

}  // namespace

int order_of(const compact_row& row, tridia::quantity quantity, tridia::staggering staggering) {
  check_numbers(row);
  const int q = compact::derivative_of(quantity);
  // Exact for all of these degrees and more than it has coefficients: exact for every one.
  const int degrees = static_cast<int>(row.weights.size()) + 4 + q;
  for (int m = 0; m <= degrees; ++m) {
    const sides s = moments(row, quantity, staggering, m);
    if (agree(s)) continue;
    if (m <= q) {
      refuse_row("does not hold for f = x^" + std::to_string(m) + ", h = 1: its left side is " +
                 text(s.left) + ", its right side " + text(s.right));
    }
    return m - q;
  }
  return exact_order;
}

compact_row compact::mirrored(const compact_row& row, tridia::quantity quantity,
                              tridia::staggering staggering) {
  compact_row m{row.sup, row.diag, row.sub, extra_points(staggering) - last_of(row), row.weights};
  std::reverse(m.weights.begin(), m.weights.end());
  if (is_odd_derivative(quantity)) {
    for (double& w : m.weights) w = -w;
  }
  return m;
}

}  // namespace tridia
