// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for several right-hand sides of long systems, which a GPU solves together. They
// check which lines a shape has, which needs no GPU, and, on a GPU, the solutions of short systems
// in small segments, and statuses of long ones.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "solver/cuda/partition/segments/segments.hpp"
#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/segments.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::cuda::plan_sides;
using tridia::cuda::segments_tuning;
using tridia::cuda::side_groups;
using tridia::layout::geometry;

constexpr tridia::gpu::device_limits kHopper{227 << 10, true};

/// Returns problems with several right-hand sides a matrix, with lines of `n` rows: one matrix for
/// all lines, or each its own; rows or systems one after another in memory.
std::vector<problem> problems(value_type type, index_t n) {
  std::vector<problem> all;
  for (const index_t lines : {2, 5, 16, 23}) {
    problem p{.type = type, .extents = {lines, n}, .pivoting = pivoting::none};
    p.coefficients = coefficients::shared;
    all.push_back(p);
    p.extents = {n, lines}, p.axis = 0;
    all.push_back(p);
    p.extents = {3, n, lines}, p.axis = 1;
    all.push_back(p);
  }
  for (const index_t sides : {2, 3, 4, 9}) {
    problem p{.type = type, .extents = {3, n}, .pivoting = pivoting::none};
    p.right_hand_sides = sides;
    all.push_back(p);
    p.extents = {n, 17}, p.axis = 0;
    all.push_back(p);
    p.extents = {n}, p.axis = 0;
    all.push_back(p);
  }
  return all;
}

/// Checks that the lines of a part lie where the problem has them, and counts them.
void count_lines(const geometry& g, const side_groups& s, std::vector<int>& found) {
  for (index_t system = 0; system < s.first.matrices.size; ++system) {
    index_t at[tridia::layout::array_count], line_at[tridia::layout::array_count];
    s.first.line_offsets(system, 0, at);
    for (int side = 0; side < s.valid; ++side) {
      const index_t line = s.line_begin + at[tridia::layout::status] + side * s.line_step;
      const index_t matrix = line / g.right_sides.size;
      g.line_offsets(matrix, line - matrix * g.right_sides.size, line_at);
      for (const auto a : {tridia::layout::sub, tridia::layout::diag, tridia::layout::sup})
        EXPECT_EQ(at[a], line_at[a]);
      for (const auto a : {tridia::layout::rhs, tridia::layout::x})
        EXPECT_EQ(at[a] + s.offset(a, side), line_at[a]);
      ++found.at(static_cast<std::size_t>(line));
    }
    // Sides beyond repeat the last one.
    EXPECT_EQ(s.offset(tridia::layout::x, s.valid), s.offset(tridia::layout::x, s.valid - 1));
  }
}

TEST(SegmentSidesShape, HasEveryLineOnce) {
  for (const value_type type : kTypes)
    for (const problem& p : problems(type, 50'000)) {
      SCOPED_TRACE(describe(p));
      const tridia::solver::task t = task_of(p);
      const auto shape = plan_sides(t, {}, kHopper);
      ASSERT_TRUE(shape);
      const geometry& g = t.geometry;
      std::vector<int> found(static_cast<std::size_t>(g.matrices.size * g.right_sides.size));
      for (int k = 0; k < shape->count; ++k) {
        count_lines(g, shape->parts[k].groups, found);
        EXPECT_LE(shape->parts[k].shape.bytes, shape->bytes);
        // The parts of a solve share these.
        EXPECT_EQ(shape->parts[k].shape.system_states, shape->parts[0].shape.system_states);
        EXPECT_EQ(shape->parts[k].shape.overflows, shape->parts[0].shape.overflows);
      }
      EXPECT_EQ(found, std::vector<int>(found.size(), 1));
    }
}

TEST(SegmentSidesShape, IsForSeveralSidesWithoutPivoting) {
  problem p{.extents = {3, 50'000}, .pivoting = pivoting::none};
  EXPECT_FALSE(plan_sides(task_of(p), {}, kHopper));
  p.right_hand_sides = 2;
  EXPECT_TRUE(plan_sides(task_of(p), {}, kHopper));
  p.pivoting = pivoting::partial;
  EXPECT_FALSE(plan_sides(task_of(p), {}, kHopper));
}

class SegmentSides : public ::testing::TestWithParam<value_type> {
 protected:
  /// Fills in a problem and solves it in segments as `tuning` says.
  void expect_solved(experiment& e, const segments_tuning& tuning) {
    e.fill_matrices(random_, draw_size(random_));
    e.fill_rhs(random_);
    segment_passes passes(e.problem(), tuning);
    ASSERT_TRUE(passes);
    e.give();
    ASSERT_EQ(passes.enqueue(e, nullptr), cudaSuccess);
    ASSERT_EQ(e.take(), "");
    ASSERT_EQ(check_solution(e, 0), "");
  }

  rng random_ = random_for("SegmentSides");
};

TEST_P(SegmentSides, SolveThroughManyLevels) {
  for (const index_t n : {3, 64, 193, 1000})
    for (const segments_tuning& tuning :
         {segments_tuning{8, 3, 2}, segments_tuning{48, 5, 3}, segments_tuning{20, 3, 40}})
      for (problem p : problems(GetParam(), n))
        for (const boundary b : {boundary::regular, boundary::periodic}) {
          const operation operations[] = {operation::none, operation::transpose,
                                          operation::conjugate_transpose};
          p.boundary = b, p.operation = operations[draw(random_, 0, 2)];
          run_options how{.backend = tridia::backend::cuda, .status = false};
          if (flip(random_)) how.alias = role::rhs;
          experiment e(p, how);
          SCOPED_TRACE(describe(p) + "; " + describe(how) + "; segments of " +
                       std::to_string(tuning.rows));
          ASSERT_NO_FATAL_FAILURE(expect_solved(e, tuning));
        }
}

// Sixty-four tiles beside each other take turns, and then those that are left.
TEST_P(SegmentSides, SolveTilesThatTakeTurns) {
  for (const boundary b : {boundary::regular, boundary::periodic}) {
    problem p{.type = GetParam(), .extents = {100, 130 * 16 + 5}, .axis = 0, .boundary = b};
    p.pivoting = pivoting::none;
    p.right_hand_sides = 2;
    experiment e(p, {.backend = tridia::backend::cuda, .status = false});
    SCOPED_TRACE(describe(p));
    ASSERT_NO_FATAL_FAILURE(expect_solved(e, segments_tuning{48, 5, 3}));
  }
}

/// Tests systems too long for the chip, some of whose right-hand sides have no solution; with fewer
/// rows in all they would be solved one by one.
class LongSides : public ::testing::TestWithParam<value_type> {
 protected:
  static constexpr index_t kRows = 40'009, kBadRow = 12'345, kZeroColumn = 25'000;

  /// Fills in an experiment, which goes through segments with several right-hand sides.
  void fill(experiment& e) {
    const std::string reason = e.plan().reason();
    EXPECT_NE(reason.find("right-hand sides together"), std::string::npos) << reason;
    e.fill_matrices(random_, draw_size(random_));
    e.fill_rhs(random_);
  }
  static long double large() { return is_double(GetParam()) ? 1e200L : 1e25L; }
  /// Makes x of `kBadRow` 1 - large^2 if the right-hand side of the next row is large.
  static void make_steep(experiment& e, index_t system) {
    for (const index_t k : {kBadRow, kBadRow + 1}) e.set(role::d, system, k, 1);
    e.set(role::dl, system, kBadRow, 0), e.set(role::du, system, kBadRow, large());
    for (const index_t k : {kBadRow - 1, kBadRow + 1, kBadRow + 2})
      e.set(role::dl, system, k, 0), e.set(role::du, system, k, 0);
  }
  static void expect_solved(const experiment& e, index_t system, index_t column) {
    EXPECT_LE(backward_error(matrix_of(e, system), solution_of(e, system, column),
                             rhs_of(e, system, column)),
              kBackwardBound * epsilon(GetParam()))
        << "system " << system << ", right-hand side " << column;
  }
  rng random_ = random_for("LongSides");
};

/// The right-hand sides of one matrix, in memory order, or as neighbours that boxes move and that
/// they do not; the last lines are of no whole group.
TEST_P(LongSides, LinesOfOneMatrixFailByThemselves) {
  for (const index_t lines : {40, 43, 56})
    for (const boundary b : {boundary::regular, boundary::periodic})
      for (const std::optional<role> alias : {std::optional<role>{}, {role::rhs}}) {
        problem p{.type = GetParam(), .extents = {lines, kRows}, .boundary = b};
        p.pivoting = pivoting::none, p.coefficients = coefficients::shared;
        if (lines > 40) p.extents = {kRows, lines}, p.axis = 0;
        experiment e(p, {.backend = tridia::backend::cuda, .alias = alias});
        SCOPED_TRACE(describe(p) + (alias ? " in place" : "") + e.plan().reason());
        fill(e);
        make_steep(e, 0);
        std::vector<index_t> status(static_cast<std::size_t>(lines));
        for (index_t line = 0; line < lines; ++line) {
          const bool overflows = line == 2 || line == lines - 2;
          e.set(role::rhs, line, kBadRow + 1, overflows ? large() : 0);
          if (overflows) status[static_cast<std::size_t>(line)] = -(kBadRow + 1);
        }
        for (const index_t line : {index_t{1}, lines - 1}) {
          e.set(role::rhs, line, kBadRow + 7, std::numeric_limits<long double>::quiet_NaN());
          status[static_cast<std::size_t>(line)] = -(kBadRow + 8);
        }
        EXPECT_EQ(e.run(), "");
        for (index_t line = 0; line < lines; ++line) {
          const index_t found = e.status()[static_cast<std::size_t>(line)];
          // What overflows in the first row of a chunk is not finite in the rows before it either.
          if (line == 2 || line == lines - 2) {
            EXPECT_LT(found, 0);
          } else {
            EXPECT_EQ(found, status[static_cast<std::size_t>(line)]);
          }
          if (status[static_cast<std::size_t>(line)] == 0) {
            expect_solved(e, line, 0);
          } else {
            EXPECT_EQ(check_all_nan(e, line), "");
          }
        }
      }
}

TEST_P(LongSides, SystemsFailByThemselves) {
  for (const bool interleaved : {false, true})
    for (const index_t sides : {2, 5}) {
      const index_t systems = 40 / sides;
      problem p{.type = GetParam(), .extents = {systems, kRows}, .pivoting = pivoting::none};
      if (interleaved) p.extents = {kRows, systems}, p.axis = 0;
      p.right_hand_sides = sides;
      experiment e(p, {.backend = tridia::backend::cuda});
      SCOPED_TRACE(describe(p));
      fill(e);
      e.set(role::rhs, 0, kBadRow, std::numeric_limits<long double>::infinity(), sides - 1);
      e.set(role::d, 1, kZeroColumn, 0);
      e.set(role::dl, 1, kZeroColumn + 1, 0);
      e.set(role::du, 1, kZeroColumn - 1, 0);
      make_steep(e, 2);
      e.set(role::rhs, 2, kBadRow + 1, large());
      EXPECT_EQ(e.run(), "");
      std::vector<index_t> status(static_cast<std::size_t>(systems)), found = e.status();
      status[0] = -(kBadRow + 1), status[1] = kZeroColumn + 1;
      status[2] = -(kBadRow + 1);
      if (interleaved) {
        // What overflows in the first row of a chunk is not finite in the rows before it either.
        EXPECT_LT(found[2], 0);
        found[2] = status[2];
      }
      EXPECT_EQ(found, status);
      for (index_t column = 0; column < sides; ++column) expect_solved(e, 3, column);
      // Right-hand sides that have one status fail together.
      for (index_t system = 0; system < 3; ++system) EXPECT_EQ(check_all_nan(e, system), "");
    }
}

TEST_P(LongSides, AreTheSameFromRunToRun) {
  problem p{.type = GetParam(), .extents = {40, kRows}, .pivoting = pivoting::none};
  p.coefficients = coefficients::shared;
  experiment e(p, {.backend = tridia::backend::cuda});
  fill(e);
  EXPECT_EQ(e.run(), "");
  EXPECT_EQ(check_solution(e, 0), "");
  const std::vector<std::byte> before = e.solution_bytes(5);
  EXPECT_EQ(e.run(), "");
  EXPECT_TRUE(e.solution_bytes(5) == before);
}

std::string type_name(const testing::TestParamInfo<value_type>& test) {
  return std::string(name(test.param));
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SegmentSides);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LongSides);
INSTANTIATE_TEST_SUITE_P(All, SegmentSides, ::testing::ValuesIn(types_of_gpu()), type_name);
INSTANTIATE_TEST_SUITE_P(All, LongSides, ::testing::ValuesIn(types_of_gpu()), type_name);

}  // namespace
}  // namespace tridia_test
