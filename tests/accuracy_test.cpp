// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare the forward error with that of LAPACK's xGTSV on the 20 matrices of Klein and
// Strzodka and on graded ones, in every arrangement that has kernels of its own on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "support/accuracy.hpp"
#include "support/arrangements.hpp"
#include "support/experiment.hpp"
#include "support/matrices.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::value_type;

constexpr index_t kRows = 512;

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

accuracy solve_arranged(const arrangement& where, index_t rows, tridia::backend backend,
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
  accuracy_of all(type);
  for (const placed& p : places) {
    std::vector<wide> x;
    for (index_t k = 0; k < p.draw->a.rows(); ++k) x.push_back(e.solution(p.system, p.first + k));
    all.add(*p.draw, x);
  }
  return all.medians();
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
    for (const tridia::backend backend : backends()) {
      // If only a GPU has kernels for an arrangement, other backends have nothing new to show.
      if (backend != tridia::backend::cuda && !where.of_cpu) continue;
      const accuracy o = solve_arranged(where, rows, backend, type_, draws, random_);
      std::printf("  %s %.2Le (%.2Lf) %.1Lf", name(backend).data(), o.error, o.ratio,
                  o.backward_error / epsilon(type_));
      EXPECT_TRUE(is_near_lapack(o, draws, type_))
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
