// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare the forward error with that of LAPACK's xGTSV on the 20 matrices of Klein and
// Strzodka and on graded ones, in every arrangement that has kernels of its own on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/arrangements.hpp"
#include "support/experiment.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::value_type;

constexpr index_t kRows = 512;
// This many systems are drawn, each with a different solution (and matrix, if it is random).
constexpr index_t kDraws = 33;

// A single error is noise, ours as well as LAPACK's, and random matrices differ in condition by
// orders of magnitude. So each error is divided by LAPACK's on the same system, and the median of
// these ratios is bounded. Errors below a few epsilons count as equal.
constexpr long double kLargestRatio = 4, kEqualEpsilons = 4;
// On M-matrices, such as dorr, gtsv is more exact than its backward error promises, and no bound on
// the forward error holds for what eliminates in another order. There, x is as good if it is exact
// for entries that are changed by one epsilon or, where LAPACK's errors leave no digit, by a few.
constexpr long double kNoDigit = 0.1L, kFewEpsilons = 16;

/// Holds a matrix and a known solution, in the numbers of a type, and LAPACK's error.
struct system_with_solution {
  tridiagonal a{0};
  std::vector<wide> x, b;
  long double error_of_lapack = 0;
};

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

std::vector<system_with_solution> draw_systems(int number, index_t rows, value_type type,
                                               rng& random) {
  std::vector<system_with_solution> systems;
  for (index_t k = 0; k < kDraws; ++k) systems.push_back(draw_system(number, rows, type, random));
  return systems;
}

long double median(std::vector<long double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

long double median_error_of_lapack(const std::vector<system_with_solution>& draws) {
  std::vector<long double> errors;
  for (const auto& s : draws) errors.push_back(s.error_of_lapack);
  return median(errors);
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

/// Says where a draw lies in a problem.
struct placed {
  const system_with_solution* draw;
  index_t system, first;  // its first row
};

/// Puts draws into the lines of a problem. A line that is longer than a draw becomes a direct sum
/// of several, with rows of the identity before, between and after them, so that they begin
/// anywhere in a thread's rows. Every draw is placed, some more than once.
std::vector<placed> place(const std::vector<system_with_solution>& draws, experiment& e,
                          rng& random) {
  std::vector<placed> places;
  for (index_t system = 0; system < e.where().systems(); ++system) {
    const index_t rows = e.where().rows(system);
    index_t row = 0;
    const auto fill = [&](index_t end) {
      for (; row < end; ++row) {
        if (row > 0) e.set(role::dl, system, row, 0);
        e.set(role::d, system, row, 1), e.set(role::rhs, system, row, 1);
        if (row + 1 < rows) e.set(role::du, system, row, 0);
      }
    };
    for (;;) {
      const system_with_solution& s = draws[places.size() % draws.size()];
      const index_t n = s.a.rows(), most = std::min<index_t>(rows - row - n, 40);
      if (most < 0) break;
      fill(row + draw(random, std::min<index_t>(most, 1), most));
      places.push_back({&s, system, row});
      for (index_t k = 0; k < n; ++k, ++row) {
        const auto at = static_cast<std::size_t>(k);
        if (row > 0) e.set(role::dl, system, row, s.a.dl[at]);
        e.set(role::d, system, row, s.a.d[at]), e.set(role::rhs, system, row, s.b[at]);
        if (row + 1 < rows) e.set(role::du, system, row, s.a.du[at]);
      }
    }
    fill(rows);
  }
  EXPECT_GE(places.size(), draws.size());
  return places;
}

/// Holds the results of one backend for the draws in one arrangement.
struct outcome {
  long double error = 0, ratio = 0, backward_error = 0;  // medians
};

/// Expects statuses of 0. A matrix that leaves LAPACK no digit is singular but for rounding errors:
/// another order of elimination may meet a pivot of exactly zero (dorr in one of a hundred places,
/// and gtsv once its entries are rounded differently).
void expect_solved(const std::vector<index_t>& statuses,
                   const std::vector<system_with_solution>& draws) {
  const auto systems = static_cast<std::ptrdiff_t>(statuses.size());
  const auto solved = std::count(statuses.begin(), statuses.end(), 0);
  const bool leaves_digits = median_error_of_lapack(draws) < kNoDigit;
  EXPECT_GE(solved, leaves_digits ? systems : (systems + 1) / 2);
}

outcome solve_arranged(const arrangement& where, index_t rows, tridia::backend backend,
                       value_type type, const std::vector<system_with_solution>& draws,
                       rng& random) {
  experiment e(where.make(type, rows, kDraws),
               {.backend = backend, .threads = 2, .tuning = tuning_of(where, type, rows)});
  if (backend == tridia::backend::cuda) {
    EXPECT_NE(e.plan().reason().find(where.kernel), std::string::npos) << e.plan().reason();
  }
  const std::vector<placed> places = place(draws, e, random);
  EXPECT_EQ(e.run(), "");
  expect_solved(e.status(), draws);
  const long double least = kEqualEpsilons * epsilon(type);
  std::vector<long double> errors, ratios, backward_errors;
  for (const placed& p : places) {
    std::vector<wide> x;
    for (index_t k = 0; k < p.draw->a.rows(); ++k) x.push_back(e.solution(p.system, p.first + k));
    errors.push_back(error_of(x, *p.draw));
    ratios.push_back(std::max(errors.back(), least) / std::max(p.draw->error_of_lapack, least));
    backward_errors.push_back(componentwise_backward_error(*p.draw, x));
  }
  return {median(errors), median(ratios), median(backward_errors)};
}

using matrix_of_type = std::tuple<value_type, int>;

class Accuracy : public ::testing::TestWithParam<matrix_of_type> {
 protected:
  const value_type type_ = std::get<0>(GetParam());
  const int number_ = std::get<1>(GetParam());
  rng random_ = random_for(std::string(name(type_)) + matrix_name(number_));

  void print_header(index_t rows, const std::vector<system_with_solution>& draws) const {
    std::printf(
        "%d: %s, %s, %d systems of %d rows, partial pivoting. Medians: forward error (gtsv's: "
        "%.2Le), its ratio to gtsv's (at most %.0Lf; below %.0Lf epsilons errors count as equal), "
        "componentwise backward error in epsilons.\n",
        number_, matrix_name(number_), name(type_).data(), static_cast<int>(kDraws),
        static_cast<int>(rows), median_error_of_lapack(draws), kLargestRatio, kEqualEpsilons);
  }

  void expect_near_lapack(const arrangement& where, index_t rows,
                          const std::vector<system_with_solution>& draws) {
    std::printf("  %-28s", where.name);
    const long double epsilons = median_error_of_lapack(draws) < kNoDigit ? 1 : kFewEpsilons;
    for (const tridia::backend backend : backends()) {
      // If only a GPU has kernels for an arrangement, other backends have nothing new to show.
      if (backend != tridia::backend::cuda && !where.of_cpu) continue;
      const outcome o = solve_arranged(where, rows, backend, type_, draws, random_);
      std::printf("  %s %.2Le (%.2Lf) %.1Lf", name(backend).data(), o.error, o.ratio,
                  o.backward_error / epsilon(type_));
      if (o.backward_error <= epsilons * epsilon(type_)) continue;
      EXPECT_LE(o.ratio, kLargestRatio)
          << matrix_name(number_) << ' ' << where.name << ' ' << name(backend);
    }
    std::printf("\n");
  }
};

TEST_P(Accuracy, NearLapack) {
  const auto draws = draw_systems(number_, kRows, type_, random_);
  print_header(kRows, draws);
  for (const arrangement& where : arrangements()) expect_near_lapack(where, kRows, draws);
}

/// Tests matrices that can be drawn at the full length of an arrangement's lines.
class LongAccuracy : public Accuracy {};

TEST_P(LongAccuracy, NearLapack) {
  if (!have_gpu()) GTEST_SKIP() << "only a GPU has kernels of their own for long systems";
  for (const arrangement& where : arrangements()) {
    const index_t rows = where.rows(type_);
    if (rows <= kRows) continue;
    const auto draws = draw_systems(number_, rows, type_, random_);
    print_header(rows, draws);
    expect_near_lapack(where, rows, draws);
  }
}

std::string name_of(const ::testing::TestParamInfo<matrix_of_type>& test) {
  const auto [type, number] = test.param;
  return std::string(name(type)) + '_' + std::to_string(number);
}

constexpr value_type kAccuracyTypes[] = {value_type::f64, value_type::f32};
INSTANTIATE_TEST_SUITE_P(All, Accuracy,
                         ::testing::Combine(::testing::ValuesIn(kAccuracyTypes),
                                            ::testing::Range(1, kAccuracyMatrices + 1)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, LongAccuracy,
                         ::testing::Combine(::testing::ValuesIn(kAccuracyTypes),
                                            ::testing::Values(1, 6, 17, 18, 19, 20)),
                         name_of);

}  // namespace
}  // namespace tridia_test
