// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "support/oracle.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using row_rule = std::function<wide(index_t row)>;  // Rows from 0.

tridiagonal from_rules(index_t n, const row_rule& sub, const row_rule& main,
                       const row_rule& super) {
  tridiagonal a(n);
  for (index_t row = 0; row < n; ++row) {
    const auto k = static_cast<std::size_t>(row);
    if (row > 0) a.dl[k] = sub(row);
    a.d[k] = main(row);
    if (row < n - 1) a.du[k] = super(row);
  }
  return a;
}

row_rule constant(long double value) {
  return [value](index_t) { return wide(value); };
}

row_rule uniform(rng& random, tridia::value_type type = tridia::value_type::f64) {
  return [&random, type](index_t) { return draw_number(random, type); };
}

tridiagonal random_matrix(index_t n, rng& random) {
  return from_rules(n, uniform(random), uniform(random), uniform(random));
}

tridiagonal random_off_diagonals(index_t n, long double main, rng& random) {
  return from_rules(n, uniform(random), constant(main), uniform(random));
}

tridiagonal toeplitz(index_t n, long double sub, long double main, long double super) {
  return from_rules(n, constant(sub), constant(main), constant(super));
}

tridiagonal lesp(index_t n) {
  return from_rules(
      n, [](index_t row) { return wide(1.0L / static_cast<long double>(row + 1)); },
      [](index_t row) { return wide(-static_cast<long double>(2 * row + 5)); },
      [](index_t row) { return wide(static_cast<long double>(row + 2)); });
}

tridiagonal with_holes(index_t n, rng& random) {
  tridiagonal a = random_matrix(n, random);
  for (auto* diagonal : {&a.dl, &a.du})
    for (wide& value : *diagonal)
      if (flip(random)) value = 0;
  return a;
}

tridiagonal inverse_kms(index_t n, long double rho) {
  tridiagonal a = toeplitz(n, -rho, 1 + rho * rho, -rho);
  a.d.front() = a.d.back() = 1;
  for (auto* diagonal : {&a.dl, &a.d, &a.du})
    for (wide& value : *diagonal) value /= 1 - rho * rho;
  return a;
}

tridiagonal dorr(index_t n, long double theta) {
  const long double h = 1.0L / static_cast<long double>(n + 1), t = theta / (h * h);
  const index_t middle = (n + 1) / 2;
  const auto slope = [h](index_t row) {
    return (0.5L - static_cast<long double>(row + 1) * h) / h;
  };
  const auto sub = [=](index_t row) { return row + 1 <= middle ? -t : -t + slope(row); };
  const auto super = [=](index_t row) { return row + 1 <= middle ? -t - slope(row) : -t; };
  return from_rules(
      n, [=](index_t row) { return wide(sub(row)); },
      [=](index_t row) { return wide(-(sub(row) + super(row))); },
      [=](index_t row) { return wide(super(row)); });
}

tridiagonal scaled_sub_diagonal(index_t n, index_t first, index_t last, rng& random) {
  tridiagonal a = random_matrix(n, random);
  for (index_t row = first; row <= last; ++row) a.dl[static_cast<std::size_t>(row)] *= 1e-50L;
  return a;
}

tridiagonal symmetric_graded(index_t n, double condition, rng& random) {
  std::vector<double> eigenvalues;
  for (index_t k = 0; k < n; ++k) {
    const double exponent = static_cast<double>(k) / static_cast<double>(n - 1);
    eigenvalues.push_back((flip(random) ? 1 : -1) * std::pow(condition, -exponent));
  }
  return symmetric(eigenvalues, random);
}

std::vector<long double> powers_of_ten(index_t n, double most, rng& random) {
  std::uniform_real_distribution<double> exponent(-most, most);
  std::vector<long double> powers;
  for (index_t k = 0; k < n; ++k) powers.push_back(std::pow(10.0L, exponent(random)));
  return powers;
}

tridiagonal rows_scaled(tridiagonal a, const std::vector<long double>& by) {
  for (std::size_t k = 0; k < by.size(); ++k) a.dl[k] *= by[k], a.d[k] *= by[k], a.du[k] *= by[k];
  return a;
}

tridiagonal columns_scaled(tridiagonal a, const std::vector<long double>& by) {
  for (std::size_t k = 0; k < by.size(); ++k) {
    a.d[k] *= by[k];
    if (k > 0) a.du[k - 1] *= by[k];
    if (k + 1 < by.size()) a.dl[k + 1] *= by[k];
  }
  return a;
}

}  // namespace

tridiagonal klein_strzodka(int number, index_t n, double condition, rng& random) {
  const auto randsvd = [&](int mode) { return latms(false, n, mode, condition, 1, 1, random); };
  switch (number) {
    case 1:
      return random_matrix(n, random);
    case 2:
      return random_off_diagonals(n, 1e8L, random);
    case 3:
      return lesp(n);
    case 4:
      return scaled_sub_diagonal(n, n / 2, n / 2, random);
    case 5:
      return with_holes(n, random);
    case 6:
      return random_off_diagonals(n, 64, random);
    case 7:
      return inverse_kms(n, 0.5L);
    case 8:
      return randsvd(2);
    case 9:
      return randsvd(3);
    case 10:
      return randsvd(1);
    case 11:
      return randsvd(4);
    case 12:
      return scaled_sub_diagonal(n, 1, n - 1, random);
    case 13:
      // In single precision dorr(1e-4) is singular, as its rows add up to zero.
      return dorr(n, condition < 1e15 ? 0.1L : 1e-4L);
    case 14:
      return random_off_diagonals(n, 1e-8L, random);
    case 15:
      return random_off_diagonals(n, 0, random);
    case 16:
      return toeplitz(n, 1, 1e-8L, 1);
    case 17:
      return toeplitz(n, 1, 1e8L, 1);
    case 18:
      return toeplitz(n, -1, 4, -1);
    case 19:
      return toeplitz(n, -1, 4, 1);
    default:
      return from_rules(n, constant(-1), constant(4), uniform(random));
  }
}

tridiagonal accuracy_matrix(int number, index_t n, double condition, rng& random) {
  switch (number - kMatrices) {
    case 1:
      return symmetric_graded(n, condition, random);
    case 2:
      return rows_scaled(random_matrix(n, random), powers_of_ten(n, 8, random));
    case 3:
      return columns_scaled(random_matrix(n, random), powers_of_ten(n, 6, random));
    default:
      return klein_strzodka(number, n, condition, random);
  }
}

const char* matrix_name(int number) {
  static const char* const names[] = {
      "U, U, U",
      "U, 1e8, U",
      "lesp",
      "1, one link weak",
      "1, half are zero",
      "U, 64, U",
      "inverse kms(0.5)",
      "randsvd mode 2",
      "randsvd mode 3",
      "randsvd mode 1",
      "randsvd mode 4",
      "1, sub * 1e-50",
      "dorr",
      "U, 1e-8, U",
      "U, 0, U",
      "1, 1e-8, 1",
      "1, 1e8, 1",
      "-1, 4, -1",
      "-1, 4, 1",
      "-1, 4, U",
      "symmetric graded",
      "1, rows scaled",
      "1, columns scaled",
  };
  return names[number - 1];
}

tridiagonal lapack_type(int number, tridia::value_type type, index_t n, rng& random) {
  const double eps = epsilon(type);
  const double safe_minimum =
      is_double(type) ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const double small = 0.25 * (safe_minimum / eps), bad = 0.1 / eps;
  const double norm = number == 5 || number == 11   ? small
                      : number == 6 || number == 12 ? 1 / small
                                                    : 1;
  if (number <= 6) {
    const double condition = n <= 1 ? 1 : number == 3 ? std::sqrt(bad) : number == 4 ? bad : 2;
    return latms(is_complex(type), n, 3, condition, norm, number == 1 ? 0 : 1, random);
  }
  tridiagonal a =
      from_rules(n, uniform(random, type), uniform(random, type), uniform(random, type));
  const auto clear = [&](index_t first, index_t last) {
    for (index_t k = first; k <= last; ++k) {
      a.d[static_cast<std::size_t>(k)] = 0;
      if (k < n - 1) a.dl[static_cast<std::size_t>(k + 1)] = 0;
      // Type 10 clears its rows' superdiagonal, type 9 what is above the last diagonal element.
      if (k < n - 1 && number == 10) a.du[static_cast<std::size_t>(k)] = 0;
    }
  };
  if (number == 8) clear(0, 0);
  if (number == 9) clear(n - 1, n - 1);
  if (number == 9 && n > 1) a.du[static_cast<std::size_t>(n - 2)] = 0;
  if (number == 10) clear((n + 1) / 2 - 1, n - 1);
  for (auto* diagonal : {&a.dl, &a.d, &a.du})
    for (wide& value : *diagonal) value *= norm;
  return a;
}

tridiagonal transformed(const tridiagonal& a, tridia::operation op) {
  if (op == tridia::operation::none) return a;
  tridiagonal b(a.rows());
  b.d = a.d;
  for (std::size_t k = 0; k + 1 < a.d.size(); ++k) {
    b.dl[k + 1] = a.du[k];
    b.du[k] = a.dl[k + 1];
  }
  if (op == tridia::operation::conjugate_transpose)
    for (auto* diagonal : {&b.dl, &b.d, &b.du})
      for (wide& value : *diagonal) value = std::conj(value);
  return b;
}

std::vector<wide> product(const tridiagonal& a, const std::vector<wide>& x) {
  std::vector<wide> y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    y[k] = a.d[k] * x[k];
    if (k > 0) y[k] += a.dl[k] * x[k - 1];
    if (k + 1 < x.size()) y[k] += a.du[k] * x[k + 1];
  }
  return y;
}

double reciprocal_condition(const tridiagonal& a) {
  long double largest = 0;
  for (const auto* diagonal : {&a.dl, &a.d, &a.du})
    for (const wide& value : *diagonal) largest = std::max(largest, std::abs(value));
  std::vector<term> terms;
  const auto add = [&](index_t row, index_t column, wide value) {
    terms.push_back({row, column, value / largest});
  };
  for (index_t row = 0; row < a.rows(); ++row) {
    const auto k = static_cast<std::size_t>(row);
    add(row, row, a.d[k]);
    if (row > 0) add(row, row - 1, a.dl[k]);
    if (row < a.rows() - 1) add(row, row + 1, a.du[k]);
  }
  return reciprocal_condition(terms, a.rows());
}

long double relative_error(const std::vector<wide>& x, const std::vector<wide>& expected) {
  long double error = 0, size = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    error += std::norm(x[k] - expected[k]);
    size += std::norm(expected[k]);
  }
  return std::sqrt(error / size);
}

}  // namespace tridia_test
