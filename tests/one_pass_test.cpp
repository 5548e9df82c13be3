// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for systems in segments on a GPU, of which the first pass solves those whose
// neighbours' equations suffice. Segments are short, so that all is there in small systems.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/segments.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

constexpr index_t kRows = 1000;
constexpr int kSegment = 96;
constexpr index_t kInBoxes = 40;  // systems beside each other, which boxes move; they do not five

struct config {
  value_type type;
  tridia::pivoting pivoting;
  index_t interleaved;  // systems that are neighbours in memory; 0: they lie one after another
};

class OnePass : public ::testing::TestWithParam<config> {
 protected:
  void SetUp() override {
    const auto& [type, pivots, interleaved] = GetParam();
    if (type == value_type::f32 && pivots == pivoting::none && interleaved == kInBoxes)
      GTEST_SKIP() << "boxes of 4-byte numbers take two passes";
  }
  [[nodiscard]] problem make_problem(boundary b = boundary::regular) const {
    const auto& [type, pivots, interleaved] = GetParam();
    problem p{.type = type, .extents = {3, kRows}, .boundary = b, .pivoting = pivots};
    if (interleaved > 0) p.extents = {kRows, interleaved}, p.axis = 0;
    return p;
  }
  static index_t systems_of(const problem& p) { return p.axis == 0 ? p.extents[1] : p.extents[0]; }

  /// Fills in systems whose couplings vanish within a segment.
  void fill(experiment& e) {
    e.fill_matrices(random_), e.fill_rhs(random_);
    for (index_t system = 0; system < systems_of(e.problem()); ++system) {
      for (index_t k = 0; k < kRows; ++k) e.set(role::d, system, k, 6);
    }
  }
  /// Lets rows of a system be those of (-1, 2, -1).
  static void make_stiff(experiment& e, index_t system, index_t from, index_t n) {
    for (index_t k = from; k < from + n; ++k) {
      e.set(role::d, system, k, 2);
      if (k > 0) e.set(role::dl, system, k, -1);
      if (k < kRows - 1) e.set(role::du, system, k, -1);
    }
  }
  /// Solves, and again if no input is overwritten, which gives the same x unless blocks gave up
  /// waiting for others. Returns what the first pass has found.
  static segment_passes::findings solve(experiment& e, bool in_place = false) {
    segment_passes passes(e.problem(), {kSegment, 5, 4});
    EXPECT_TRUE(passes);
    std::vector<std::byte> first;
    segment_passes::findings found{};
    for (int k = 0; k < (in_place ? 1 : 2); ++k) {
      e.give();
      EXPECT_EQ(passes.enqueue(e, nullptr), cudaSuccess);
      EXPECT_EQ(e.take(), "");
      if (k == 0) first = e.solution_bytes(0);
      const auto now = passes.found();
      found = {now.solved, now.left, found.gave_up || now.gave_up};
    }
    EXPECT_TRUE(found.gave_up || first == e.solution_bytes(0));
    return found;
  }

  rng random_ = random_for("OnePass");
};

/// Segments at the ends of a periodic system are neighbours.
TEST_P(OnePass, SolvesAllSegmentsWhereCouplingsVanish) {
  for (const boundary b : {boundary::regular, boundary::periodic})
    for (const std::optional<role> alias : {std::optional<role>{}, {role::rhs}}) {
      experiment e(make_problem(b),
                   {.backend = tridia::backend::cuda, .status = false, .alias = alias});
      fill(e);
      SCOPED_TRACE(name(b));
      const auto found = solve(e, alias.has_value());
      EXPECT_TRUE(found.gave_up || !found.left);
      EXPECT_EQ(check_solution(e, 0), "");
    }
}

/// With pivoting, rows that need it are decoupled as well; where neighbours in memory are other
/// systems, they are left to the last pass.
TEST_P(OnePass, SolvesSegmentsThatNeedPivoting) {
  const auto& [type, pivots, interleaved] = GetParam();
  if (pivots == pivoting::none) GTEST_SKIP() << "for systems that need pivoting";
  experiment e(make_problem(), {.backend = tridia::backend::cuda, .status = false});
  e.fill_matrices(random_), e.fill_rhs(random_);
  const int long_enough = 300;
  segment_passes passes(e.problem(), {interleaved > 0 ? kSegment : long_enough, 5, 4});
  ASSERT_TRUE(passes);
  e.give();
  EXPECT_EQ(passes.enqueue(e, nullptr), cudaSuccess);
  EXPECT_EQ(e.take(), "");
  EXPECT_EQ(check_solution(e, 0), "");
  EXPECT_TRUE(interleaved > 0 || passes.found().solved);
}

/// Failures are explained from the matrix, in whose place x must not come before it is known that
/// there are none.
TEST_P(OnePass, LeavesWhatMustWait) {
  for (const role place : {role::dl, role::d, role::du}) {
    experiment e(make_problem(),
                 {.backend = tridia::backend::cuda, .status = false, .alias = place});
    fill(e);
    EXPECT_FALSE(solve(e, true).solved);
    EXPECT_EQ(check_solution(e, 0), "");
  }
}

TEST_P(OnePass, LeavesSegmentsWhoseCouplingsDoNotVanish) {
  for (const std::optional<role> alias : {std::optional<role>{}, {role::rhs}})
    for (const index_t from :
         {index_t{0}, index_t{3 * kSegment}, index_t{4 * kSegment + 17}, kRows - 150})
      for (const index_t n : {index_t{150}, kRows - from}) {
        experiment e(make_problem(),
                     {.backend = tridia::backend::cuda, .status = false, .alias = alias});
        fill(e);
        const index_t last = systems_of(e.problem()) - 1;
        make_stiff(e, last, from, n);
        SCOPED_TRACE(std::to_string(n) + " rows from " + std::to_string(from));
        EXPECT_TRUE(solve(e, alias.has_value()).left);
        EXPECT_EQ(check_solution(e, 0), "");
      }
}

/// A system fails as a whole, though x of some of its segments was there before that was known, and
/// its neighbours are solved.
TEST_P(OnePass, FailsAsAWhole) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (const std::optional<role> alias : {std::optional<role>{}, {role::rhs}})
    for (const index_t row : {index_t{0}, index_t{4 * kSegment + 40}, kRows - 1})
      for (const bool in_matrix : {false, true}) {
        experiment e(make_problem(),
                     {.backend = tridia::backend::cuda, .status = false, .alias = alias});
        fill(e);
        e.set(in_matrix ? role::d : role::rhs, 1, row, nan);
        SCOPED_TRACE("row " + std::to_string(row));
        EXPECT_TRUE(solve(e, alias.has_value()).left);
        EXPECT_EQ(check_all_nan(e, 1), "");
        for (index_t k = 0; k < systems_of(e.problem()); ++k) {
          if (k == 1) continue;
          EXPECT_LE(backward_error(matrix_of(e, k), solution_of(e, k, 0), rhs_of(e, k, 0)),
                    kBackwardBound * epsilon(e.problem().type));
        }
      }
}

std::vector<config> configs() {
  std::vector<config> all;
  if (!have_gpu()) return all;
  for (const value_type t : kTypes)
    for (const pivoting p : {pivoting::none, pivoting::partial})
      for (const index_t interleaved : {index_t{0}, index_t{5}, kInBoxes})
        all.push_back({t, p, interleaved});
  return all;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnePass);
INSTANTIATE_TEST_SUITE_P(All, OnePass, ::testing::ValuesIn(configs()), [](const auto& test) {
  const config& c = test.param;
  return std::string(name(c.type)) + '_' + std::string(name(c.pivoting)) + '_' +
         std::to_string(c.interleaved);
});

}  // namespace
}  // namespace tridia_test
