// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// The forward error beside LAPACK's xGTSV on the 20 matrices of Klein and Strzodka.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/experiment.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::value_type;

constexpr index_t kRows = 512;
// Systems with a solution (and, where it is random, a matrix) of their own.
constexpr index_t kDraws = 33;

// One error alone is noise, ours as LAPACK's, and random matrices differ in condition by orders of
// magnitude. So each error is divided by LAPACK's on the same system, and the median of these
// ratios is bounded. Errors below a few epsilons count as equal.
constexpr long double kLargestRatio = 4, kEqualEpsilons = 4;

/// A matrix and a known solution, in the numbers of `type`.
struct system_with_solution {
  tridiagonal a{0};
  std::vector<wide> x, b;
};

void round(value_type type, std::vector<wide>& values) {
  double storage[2];
  for (wide& value : values) {
    store(type, storage, 0, value);
    value = load(type, storage, 0);
  }
}

system_with_solution make_system(int number, value_type type, rng& random) {
  // A condition of 1e15 leaves no digit in single precision.
  const double condition = is_double(type) ? 1e15 : 1e6;
  system_with_solution s{klein_strzodka(number, kRows, condition, random), {}, {}};
  for (auto* diagonal : {&s.a.dl, &s.a.d, &s.a.du}) round(type, *diagonal);
  std::normal_distribution<double> normal(3, 1);
  for (index_t k = 0; k < kRows; ++k) s.x.emplace_back(normal(random));
  round(type, s.x);
  s.b = product(s.a, s.x);
  round(type, s.b);
  return s;
}

/// One whose solution by gtsv stays well within the type: that of matrix 12 leaves f32 in one draw
/// of some hundred, and there is no error to compare.
system_with_solution draw_system(int number, value_type type, rng& random) {
  const double most = is_double(type) ? 1e300 : 1e30;
  for (;;) {
    system_with_solution s = make_system(number, type, random);
    std::vector<wide> x = s.b;
    EXPECT_EQ(gtsv(type, s.a, x), 0);
    if (std::all_of(x.begin(), x.end(), [&](const wide& v) { return std::abs(v) < most; })) {
      return s;
    }
  }
}

long double median(std::vector<long double> values) {
  std::nth_element(values.begin(), values.begin() + kDraws / 2, values.end());
  return values[kDraws / 2];
}

/// The relative error of a solution; one that is not finite is worse than any other.
long double error_of(const std::vector<wide>& x, const system_with_solution& s) {
  const long double error = relative_error(x, s.x);
  return std::isfinite(error) ? error : std::numeric_limits<long double>::infinity();
}

std::vector<long double> errors_of_lapack(value_type type,
                                          const std::vector<system_with_solution>& systems) {
  std::vector<long double> errors;
  for (const system_with_solution& s : systems) {
    std::vector<wide> x = s.b;
    EXPECT_EQ(gtsv(type, s.a, x), 0);
    errors.push_back(error_of(x, s));
  }
  return errors;
}

std::vector<long double> errors_of(tridia::backend backend, value_type type,
                                   const std::vector<system_with_solution>& systems) {
  experiment e({.type = type, .extents = {kDraws, kRows}}, {.backend = backend, .threads = 2});
  for (index_t k = 0; k < kDraws; ++k) {
    const system_with_solution& s = systems[static_cast<std::size_t>(k)];
    for (index_t row = 0; row < kRows; ++row) {
      const auto r = static_cast<std::size_t>(row);
      if (row > 0) e.set(role::dl, k, row, s.a.dl[r]);
      e.set(role::d, k, row, s.a.d[r]);
      if (row < kRows - 1) e.set(role::du, k, row, s.a.du[r]);
      e.set(role::rhs, k, row, s.b[r]);
    }
  }
  EXPECT_EQ(e.run(), "");
  EXPECT_EQ(e.status(), std::vector<index_t>(kDraws, 0));
  std::vector<long double> errors;
  for (index_t k = 0; k < kDraws; ++k)
    errors.push_back(error_of(solution_of(e, k, 0), systems[static_cast<std::size_t>(k)]));
  return errors;
}

long double median_ratio(const std::vector<long double>& ours,
                         const std::vector<long double>& lapack, value_type type) {
  const long double least = kEqualEpsilons * epsilon(type);
  std::vector<long double> ratios;
  for (std::size_t k = 0; k < ours.size(); ++k)
    ratios.push_back(std::max(ours[k], least) / std::max(lapack[k], least));
  return median(ratios);
}

void print_header(value_type type) {
  std::printf(
      "Median forward error of %d systems of %d rows, %s, partial pivoting; in brackets the "
      "median ratio to\ngtsv's error on the same system (at most %.0Lf; below %.0Lf epsilons "
      "errors count as equal).\n",
      static_cast<int>(kDraws), static_cast<int>(kRows), name(type).data(), kLargestRatio,
      kEqualEpsilons);
  std::printf(" # %-18s %9s", "matrix", "gtsv");
  for (const tridia::backend b : backends()) std::printf(" %16s", name(b).data());
  std::printf("\n");
}

class Accuracy : public ::testing::TestWithParam<value_type> {};

TEST_P(Accuracy, NearLapack) {
  const value_type type = GetParam();
  rng random = random_for(name(type));
  print_header(type);
  for (int number = 1; number <= kMatrices; ++number) {
    std::vector<system_with_solution> systems;
    for (index_t k = 0; k < kDraws; ++k) systems.push_back(draw_system(number, type, random));
    const std::vector<long double> lapack = errors_of_lapack(type, systems);
    std::printf("%2d %-18s %9.2Le", number, matrix_name(number), median(lapack));
    std::vector<std::pair<tridia::backend, long double>> ratios;
    for (const tridia::backend b : backends()) {
      const std::vector<long double> errors = errors_of(b, type, systems);
      ratios.emplace_back(b, median_ratio(errors, lapack, type));
      std::printf(" %9.2Le (%4.2Lf)", median(errors), ratios.back().second);
    }
    std::printf("\n");
    for (const auto& [backend, ratio] : ratios)
      EXPECT_LE(ratio, kLargestRatio) << matrix_name(number) << ' ' << name(backend);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::Values(value_type::f64, value_type::f32),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
