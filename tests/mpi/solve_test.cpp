// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests solve lines that cross ranks: every strategy and decomposition is compared with the
// problem's own residual, and with the plan of the whole.
#include <gtest/gtest.h>

#include "mpi/field.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::distributed::communicator;
using tridia::distributed::decomposition;
using tridia::distributed::plan;
using tridia::distributed::plan_options;
using tridia::distributed::strategy;

constexpr strategy kStrategies[] = {strategy::automatic, strategy::gather, strategy::allgather,
                                    strategy::pcr, strategy::all_to_all};

class Ranks : public ::testing::TestWithParam<value_type> {};

TEST_P(Ranks, SolveLinesInEveryDirection) {
  rng random = random_for("Ranks");
  const communicator by = ranks();
  for (const auto& process_grid : process_grids())
    for (int axis = 0; axis < 3; ++axis)
      for (const pivoting pivots : {pivoting::none, pivoting::partial})
        for (const boundary b : {boundary::regular, boundary::periodic}) {
          problem p{.type = GetParam(), .axis = axis, .boundary = b, .pivoting = pivots};
          split_problem s(uneven_grid(process_grid), p);
          s.fill(random);
          for (const strategy how : kStrategies) {
            const plan_options o{.strategy = how};
            SCOPED_TRACE(describe(p, process_grid, o));
            expect_solved(s, by, o);
          }
        }
}

INSTANTIATE_TEST_SUITE_P(All, Ranks,
                         ::testing::Values(value_type::f32, value_type::f64, value_type::c64,
                                           value_type::c128),
                         [](const auto& test) { return std::string(name(test.param)); });

/// Long lines are cut into even parts, and solved by several threads, in slabs so small that there
/// are many.
TEST(RanksInSlabs, SolveTheSame) {
  rng random = random_for("RanksInSlabs");
  const communicator by = ranks();
  for (const int axis : {0, 2})
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      problem p{.axis = axis, .boundary = boundary::periodic, .pivoting = pivots};
      std::vector<int> process_grid{1, 1, 1};
      process_grid[axis] = world_size();
      split_problem s(decomposition({70, 11, 130}, process_grid), p);
      s.fill(random);
      for (const strategy how : kStrategies) {
        const plan_options o{.strategy = how, .interface_bytes = 3000, .threads = 2};
        SCOPED_TRACE(describe(p, process_grid, o));
        expect_solved(s, by, o);
        plan lines(s.blocks, s.local(), by, o);
        if (how == strategy::gather && world_size() > 1) {
          plan at_once(s.blocks, s.local(), by, {.strategy = how, .threads = 2});
          EXPECT_LE(lines.workspace_bytes(), at_once.workspace_bytes());
        }
      }
    }
}

TEST(RanksWithOneRowEach, Solve) {
  rng random = random_for("RanksWithOneRowEach");
  const communicator by = ranks();
  for (const boundary b : {boundary::regular, boundary::periodic})
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (const strategy how : kStrategies) {
        problem p{.axis = 0, .boundary = b, .pivoting = pivots};
        split_problem s(decomposition({world_size(), 19}, {world_size(), 1}), p);
        s.fill(random);
        SCOPED_TRACE(describe(p, {world_size(), 1}, {.strategy = how}));
        expect_solved(s, by, {.strategy = how});
      }
}

TEST(Ranks, SolveInPlaceAgainAndAgain) {
  rng random = random_for("InPlace");
  const communicator by = ranks();
  split_problem s(decomposition({40, 6}, {world_size(), 1}),
                  {.axis = 0, .pivoting = pivoting::none});
  problem p = s.local();
  p.x_strides = p.rhs_strides;
  plan lines(s.blocks, p, by, {.strategy = strategy::all_to_all});
  for (int step = 0; step < 3; ++step) {
    s.fill(random);
    for (field* f : {&s.dl, &s.d, &s.du, &s.rhs}) f->scatter();
    lines.start(s.dl.block(), s.d.block(), s.du.block(), s.rhs.block(), s.rhs.block());
    lines.finish();
    field given = s.rhs;
    s.rhs.collect();
    std::swap(s.x, s.rhs);
    std::swap(s.rhs, given);
    EXPECT_LE(s.worst(), kBackwardBound);
  }
}

class SharedMatrix : public ::testing::TestWithParam<operation> {};

TEST_P(SharedMatrix, HasManyRightHandSides) {
  const communicator by = ranks();
  const index_t n = 24, sides = 3;
  const decomposition g({5, n}, {1, world_size()});
  const auto own = g.block(world_rank());
  const index_t rows = own.extents[1], begin = own.begin[1];
  problem p{.right_hand_sides = sides,
            .pivoting = pivoting::none,
            .operation = GetParam(),
            .coefficients = tridia::coefficients::shared};
  std::vector<double> dl(rows), d(rows), du(rows), rhs(sides * 5 * rows);
  const auto solution = [&](index_t line, index_t k) {
    return static_cast<double>(1 + line * n + (k * k) % 7);
  };
  const auto lower = [](index_t i) { return i % 2 ? 1.25 : 0.25; };
  const auto upper = [](index_t i) { return i % 3 ? -1.0 : -0.5; };
  const bool transposed = GetParam() != operation::none;
  for (index_t k = 0; k < rows; ++k) {
    const index_t i = begin + k;
    dl[k] = lower(i), d[k] = 4, du[k] = upper(i);
    const double left = transposed ? upper(i - 1) : lower(i);
    const double right = transposed ? lower(i + 1) : upper(i);
    for (index_t line = 0; line < sides * 5; ++line) {
      rhs[line * rows + k] = (i > 0 ? left * solution(line, i - 1) : 0) + 4 * solution(line, i) +
                             (i + 1 < n ? right * solution(line, i + 1) : 0);
    }
  }
  ranks_array<double> in[] = {ranks_array(dl), ranks_array(d), ranks_array(du), ranks_array(rhs)};
  for (const strategy how : kStrategies) {
    ranks_array<double> out(std::vector<double>(rhs.size(), 0));
    plan lines(g, p, by, {.strategy = how});
    ranks_array<index_t> status(std::vector<index_t>(5, 99));
    EXPECT_EQ(lines.systems(), 5);
    lines.execute(in[0].there(), in[1].there(), in[2].there(), in[3].there(), out.there(),
                  {.status = status.there()});
    EXPECT_EQ(status.get(), std::vector<index_t>(5, 0));
    const std::vector<double> x = out.get();
    for (index_t line = 0; line < sides * 5; ++line)
      for (index_t k = 0; k < rows; ++k)
        ASSERT_NEAR(x[line * rows + k], solution(line, begin + k), 1e-11) << name(how);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedMatrix,
                         ::testing::Values(operation::none, operation::transpose),
                         [](const auto& test) { return std::string(name(test.param)); });

/// The matrices are constant, and their influence decays by 2 + sqrt(3) a row.
TEST(NearestRanks, AreEnoughWhereInfluenceDecays) {
  rng random = random_for("NearestRanks");
  const communicator by = ranks();
  for (const boundary b : {boundary::regular, boundary::periodic}) {
    problem p{.axis = 1, .boundary = b, .pivoting = pivoting::none};
    split_problem s(decomposition({9, 40 * world_size()}, {1, world_size()}), p);
    s.fill(random);
    for (index_t line = 0; line < s.lines(); ++line)
      for (index_t k = 0; k < s.rows(); ++k) {
        s.dl.set(s.at(line, k), 1), s.d.set(s.at(line, k), 4), s.du.set(s.at(line, k), 1);
      }
    for (field* f : {&s.dl, &s.d, &s.du}) f->scatter();
    plan exact(s.blocks, s.local(), by);
    const double neglected_coupling =
        exact.neglected_coupling(s.dl.block(), s.d.block(), s.du.block());
    if (world_size() > 1) {
      EXPECT_GT(neglected_coupling, 1e-24);
      EXPECT_LT(neglected_coupling, 1e-21);
    }
    // The strategy is asked for, or found by the model, unless one pass does without.
    for (const strategy how : {strategy::nearest, strategy::automatic}) {
      plan lines(s.blocks, s.local(), by,
                 {.strategy = how, .tolerance = 1e-16, .neglected_coupling = neglected_coupling});
      const bool in_one_pass = lines.reason().find("in one pass") != std::string::npos;
      if (world_size() > 1 && !(how == strategy::automatic && in_one_pass)) {
        EXPECT_EQ(lines.strategy(), strategy::nearest) << lines.reason();
      }
      s.run(lines);
      EXPECT_LE(s.worst(), kBackwardBound);
      EXPECT_LE(s.difference(), 20);
    }
    try {
      plan refused(s.blocks, s.local(), by,
                   {.strategy = strategy::nearest,
                    .tolerance = neglected_coupling / 2,
                    .neglected_coupling = neglected_coupling});
      EXPECT_EQ(neglected_coupling, 0);
    } catch (const tridia::error& e) {
      EXPECT_EQ(e.code(), tridia::errc::unsupported);
      EXPECT_NE(std::string(e.what()).find("above the tolerance"), std::string::npos) << e.what();
    }
  }
}

/// Tests that the neglected part bounds the error where it can be seen.
class InfluenceOfRanks : public ::testing::TestWithParam<operation> {};

TEST_P(InfluenceOfRanks, IsWhatNearestErrsAtMost) {
  if (world_size() < 2) GTEST_SKIP() << "one rank neglects nothing";
  rng random = random_for("NearestRanks");
  const communicator by = ranks();
  problem p{.axis = 0, .pivoting = pivoting::none, .operation = GetParam()};
  split_problem s(decomposition({6 * world_size(), 50}, {world_size(), 1}), p);
  s.fill(random);
  for (field* f : {&s.dl, &s.d, &s.du}) f->scatter();
  plan exact(s.blocks, s.local(), by);
  const double neglected_coupling =
      exact.neglected_coupling(s.dl.block(), s.d.block(), s.du.block());
  s.run(exact);
  const field x = s.x;
  plan lines(s.blocks, s.local(), by,
             {.strategy = strategy::nearest,
              .tolerance = neglected_coupling,
              .neglected_coupling = neglected_coupling});
  s.run(lines);
  long double error = 0, largest = 0;
  for (index_t k = 0; k < s.lines() * s.rows(); ++k) {
    error = std::max(error, std::abs(s.x.get(k) - x.get(k)));
    largest = std::max(largest, std::abs(x.get(k)));
  }
  if (world_size() > 2) {
    EXPECT_GT(error, 0);
  }
  EXPECT_LE(error, neglected_coupling * largest);
}

INSTANTIATE_TEST_SUITE_P(All, InfluenceOfRanks,
                         ::testing::Values(operation::none, operation::transpose),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
