// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/accuracy.hpp"

#include "support/matrices.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tridia_test {
namespace {

using tridia::value_type;

// On M-matrices, such as dorr, gtsv is more exact than its backward error promises, and no bound on
// the forward error holds for what eliminates in another order. There, x is as good if it is exact
// for entries that are changed by one epsilon or, where LAPACK's errors leave no digit, by a few.
constexpr long double kNoDigit = 0.1L, kFewEpsilons = 16;

void round(value_type type, std::vector<wide>& values) {
  double storage[2];
  for (wide& value : values) {
    store(type, storage, 0, value);
    value = load(type, storage, 0);
  }
}

system_with_solution make_system(int number, index_t rows, value_type type, rng& random) {
  // A condition of 1e15 leaves no digit in single precision.
  const double condition = is_double(type) ? 1e15 : 1e6;
  system_with_solution s{accuracy_matrix(number, rows, condition, random), {}, {}};
  for (auto* diagonal : {&s.a.dl, &s.a.d, &s.a.du}) round(type, *diagonal);
  std::normal_distribution<double> normal(3, 1);
  for (index_t k = 0; k < rows; ++k) s.x.emplace_back(normal(random));
  round(type, s.x);
  s.b = product(s.a, s.x);
  round(type, s.b);
  return s;
}

/// Returns the relative error of a solution; one that is not finite is worse than any other.
long double error_of(const std::vector<wide>& x, const system_with_solution& s) {
  const long double error = relative_error(x, s.x);
  return std::isfinite(error) ? error : std::numeric_limits<long double>::infinity();
}

/// Draws a system whose solution by gtsv stays well within the type: that of matrix 12 leaves f32
/// in one draw of some hundred, and there is no error to compare. Ours may be some powers of ten
/// larger.
system_with_solution draw_system(int number, index_t rows, value_type type, rng& random) {
  const double most = is_double(type) ? 1e300 : 1e15;
  for (;;) {
    system_with_solution s = make_system(number, rows, type, random);
    std::vector<wide> x = s.b;
    EXPECT_EQ(gtsv(type, s.a, x), 0);
    if (std::all_of(x.begin(), x.end(), [&](const wide& v) { return std::abs(v) < most; })) {
      s.error_of_lapack = error_of(x, s);
      return s;
    }
  }
}

long double median(std::vector<long double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the largest residual of a row over the sizes of what was added up for it, which is the
/// smallest relative change of entries of A and b that makes x exact; infinity where x is not
/// finite.
long double componentwise_backward_error(const system_with_solution& s,
                                         const std::vector<wide>& x) {
  long double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    wide residual = -s.b[k];
    long double size = std::abs(s.b[k]);
    const auto add = [&](const wide& term) { residual += term, size += std::abs(term); };
    add(s.a.d[k] * x[k]);
    if (!std::isfinite(std::abs(x[k]))) return std::numeric_limits<long double>::infinity();
    if (k > 0) add(s.a.dl[k] * x[k - 1]);
    if (k + 1 < x.size()) add(s.a.du[k] * x[k + 1]);
    if (size > 0) worst = std::max(worst, std::abs(residual) / size);
  }
  return worst;
}

}  // namespace

std::vector<system_with_solution> draw_systems(int number, index_t rows, value_type type,
                                               rng& random) {
  std::vector<system_with_solution> systems;
  for (index_t k = 0; k < kDraws; ++k) systems.push_back(draw_system(number, rows, type, random));
  return systems;
}

long double median_error_of_lapack(const std::vector<system_with_solution>& draws) {
  std::vector<long double> errors;
  for (const auto& s : draws) errors.push_back(s.error_of_lapack);
  return median(errors);
}

void accuracy_of::add(const system_with_solution& draw, const std::vector<wide>& x) {
  const long double least = kEqualEpsilons * epsilon(type_);
  errors_.push_back(error_of(x, draw));
  ratios_.push_back(std::max(errors_.back(), least) / std::max(draw.error_of_lapack, least));
  backward_errors_.push_back(componentwise_backward_error(draw, x));
}

accuracy accuracy_of::medians() const {
  return {median(errors_), median(ratios_), median(backward_errors_)};
}

bool is_near_lapack(const accuracy& a, const std::vector<system_with_solution>& draws,
                    value_type type) {
  const long double epsilons = median_error_of_lapack(draws) < kNoDigit ? 1 : kFewEpsilons;
  return a.backward_error <= epsilons * epsilon(type) || a.ratio <= kLargestRatio;
}

void expect_solved(const std::vector<index_t>& statuses,
                   const std::vector<system_with_solution>& draws) {
  const auto systems = static_cast<std::ptrdiff_t>(statuses.size());
  const auto solved = std::count(statuses.begin(), statuses.end(), 0);
  const bool leaves_digits = median_error_of_lapack(draws) < kNoDigit;
  EXPECT_GE(solved, leaves_digits ? systems : (systems + 1) / 2);
}

}  // namespace tridia_test
