// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/failing_systems.hpp"
#include "support/lapack.hpp"

namespace tridia_test {
namespace {

using complex = std::complex<double>;

/// Returns |z| up to a factor below 1.5: the exact modulus takes longer than all the rest.
long double magnitude(const wide& z) { return std::abs(z.real()) + std::abs(z.imag()); }

long double largest(const std::vector<wide>& v) {
  long double result = 0;
  for (const wide& z : v) {
    const long double size = magnitude(z);
    if (std::isnan(size)) return size;
    result = std::max(result, size);
  }
  return result;
}

std::vector<complex> dense(const std::vector<term>& a, index_t n) {
  std::vector<wide> sums(static_cast<std::size_t>(n * n));
  for (const term& t : a) sums[static_cast<std::size_t>(t.column * n + t.row)] += t.value;
  return {sums.begin(), sums.end()};
}

/// Returns how much of ||A|| is left where terms in one place add up. The terms themselves are
/// rounded: a matrix near which they cancel is as ill-conditioned as if it were near a singular
/// one.
double uncancelled(const std::vector<term>& a, index_t n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<wide> before(size), after(size);
  for (const term& t : a) before[static_cast<std::size_t>(t.column)] += magnitude(t.value);
  const std::vector<complex> sums = dense(a, n);
  for (std::size_t k = 0; k < sums.size(); ++k) after[k / size] += magnitude(wide(sums[k]));
  const long double all = largest(before);
  return all > 0 ? static_cast<double>(largest(after) / all) : 1;
}

std::string system_name(index_t system, index_t n) {
  return "system " + std::to_string(system) + " of " + std::to_string(n) + " rows: ";
}

std::string check_backward(const experiment& e, index_t system, const std::vector<term>& a) {
  const double bound = kBackwardBound * epsilon(e.problem().type);
  for (index_t c = 0; c < e.where().columns(role::x); ++c) {
    const long double error = backward_error(a, solution_of(e, system, c), rhs_of(e, system, c));
    if (error <= bound) continue;
    std::ostringstream out;
    out << "right-hand side " << c << " has the backward error " << error << ", allowed is "
        << bound;
    return out.str();
  }
  return "";
}

/// Returns the forward error against LAPACK, in units of what the condition allows.
std::string check_forward(const experiment& e, index_t system, const std::vector<term>& a) {
  const index_t n = e.where().rows(system);
  const double left = uncancelled(a, n);
  for (index_t c = 0; c < e.where().columns(role::x); ++c) {
    const std::vector<wide> x = solution_of(e, system, c), b = rhs_of(e, system, c);
    const dense_solution oracle = solve_dense(n, dense(a, n), 1, {b.begin(), b.end()});
    const double allowed =
        4 * kBackwardBound * epsilon(e.problem().type) / (oracle.reciprocal_condition * left);
    if (!(allowed < 0.1)) continue;  // Too near a singular matrix for any digit to be right.
    std::vector<wide> error(x.size()), expected(oracle.x.begin(), oracle.x.end());
    for (std::size_t k = 0; k < x.size(); ++k) error[k] = x[k] - expected[k];
    if (largest(error) <= allowed * largest(expected)) continue;
    std::ostringstream out;
    out << "right-hand side " << c << " differs from LAPACK's solution by " << largest(error)
        << " of " << largest(expected) << ", allowed is the part " << allowed;
    return out.str();
  }
  return "";
}

std::string check_singular(const experiment& e, index_t system, const std::vector<term>& a) {
  const index_t n = e.where().rows(system);
  const double limit = 4 * static_cast<double>(n) * epsilon(e.problem().type);
  const index_t status = e.status().empty() ? 1 : e.status()[static_cast<std::size_t>(system)];
  if (status > 0 && status <= n && reciprocal_condition(a, n) < limit) return "";
  return "is not singular, but its status is " + std::to_string(status);
}

/// Returns whether x of a system is unspecified.
bool is_exempt(const experiment& e, index_t system) {
  return e.problem().coefficients == tridia::coefficients::constant && has_to_fail(e, system);
}

std::string check_failed(const experiment& e, index_t system, const std::vector<term>& a) {
  if (is_exempt(e, system)) return "";
  const std::string wrong = check_all_nan(e, system);
  return !wrong.empty() || has_to_fail(e, system) ? wrong : check_singular(e, system, a);
}

std::string check_system(const experiment& e, index_t system, bool with_dense) {
  const std::vector<term> a = matrix_of(e, system);
  if (has_failed(e, system)) return check_failed(e, system, a);
  if (e.status().empty() && is_exempt(e, system)) return "";
  std::string wrong = check_backward(e, system, a);
  if (wrong.empty() && with_dense) wrong = check_forward(e, system, a);
  return wrong;
}

}  // namespace

bool has_failed(const experiment& e, index_t system) {
  if (!e.status().empty()) return e.status()[static_cast<std::size_t>(system)] != 0;
  return e.where().rows(system) > 0 && e.where().columns(role::x) > 0 &&
         std::isnan(e.solution(system, 0).real());
}

std::string check_all_nan(const experiment& e, index_t system) {
  for (index_t c = 0; c < e.where().columns(role::x); ++c)
    for (index_t row = 0; row < e.where().rows(system); ++row) {
      const wide x = e.solution(system, row, c);
      if (std::isnan(x.real()) && (std::isnan(x.imag()) || !is_complex(e.problem().type))) continue;
      std::ostringstream out;
      out << "has failed, but x is " << x << " in row " << row << " of right-hand side " << c;
      return out.str();
    }
  return "";
}

std::vector<term> matrix_of(const experiment& e, index_t system) {
  const tridia::problem& p = e.problem();
  const index_t n = e.where().rows(system);
  const bool periodic = p.boundary == tridia::boundary::periodic;
  std::vector<term> terms;
  terms.reserve(static_cast<std::size_t>(3 * n));
  const auto add = [&](index_t row, index_t column, wide value) {
    if (p.operation != tridia::operation::none) std::swap(row, column);
    if (p.operation == tridia::operation::conjugate_transpose) value = std::conj(value);
    terms.push_back({row, column, value});
  };
  // The number of a row is in column row + shift, which is around the edge where periodic.
  const auto add_all = [&](role r, index_t shift) {
    const line l = e.where().of(r, system);
    for (index_t row = 0; row < n; ++row) {
      const bool inside = row + shift >= 0 && row + shift < n;
      if (inside || periodic) add(row, (row + shift + n) % n, e.of(r).get_given(l.at(row)));
    }
  };
  add_all(role::dl, -1);
  add_all(role::d, 0);
  add_all(role::du, 1);
  return terms;
}

long double backward_error(const std::vector<term>& a, const std::vector<wide>& x,
                           const std::vector<wide>& b) {
  std::vector<wide> residual(b);
  std::vector<wide> row_sums(b.size());
  for (const term& t : a) {
    residual[static_cast<std::size_t>(t.row)] -= t.value * x[static_cast<std::size_t>(t.column)];
    row_sums[static_cast<std::size_t>(t.row)] += magnitude(t.value);
  }
  const long double error = largest(residual);
  const long double scale = largest(row_sums) * largest(x) + largest(b);
  return error == 0 ? 0 : error / scale;
}

std::vector<wide> solution_of(const experiment& e, index_t system, index_t column) {
  const line l = e.where().of(role::x, system, column);
  std::vector<wide> values;
  for (index_t row = l.first; row < l.last; ++row) values.push_back(e.of(role::x).get(l.at(row)));
  return values;
}

std::vector<wide> rhs_of(const experiment& e, index_t system, index_t column) {
  const line l = e.where().of(role::rhs, system, column);
  std::vector<wide> values;
  for (index_t row = l.first; row < l.last; ++row)
    values.push_back(e.of(role::rhs).get_given(l.at(row)));
  return values;
}

double reciprocal_condition(const std::vector<term>& a, index_t n) {
  const std::vector<complex> zero(static_cast<std::size_t>(n));
  return solve_dense(n, dense(a, n), 1, zero).reciprocal_condition * uncancelled(a, n);
}

std::string check_solution(const experiment& e, index_t dense_rows) {
  const index_t systems = e.where().systems();
  for (index_t s = 0; s < systems; ++s) {
    const index_t n = e.where().rows(s);
    // The systems at both ends of the batch and one inside are enough for the dense oracle.
    const bool with_dense = n <= dense_rows && (s == 0 || s == systems / 2 || s == systems - 1);
    const std::string wrong = check_system(e, s, with_dense);
    if (!wrong.empty()) return system_name(s, n) + wrong;
  }
  return "";
}

}  // namespace tridia_test
