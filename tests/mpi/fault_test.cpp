// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Ranks that disagree, or do not take part, must cause an error on all others, in time.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>

#include "mpi/field.hpp"
#include "mpi/refusal.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

using tridia::errc;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::distributed::communicator;
using tridia::distributed::decomposition;
using tridia::distributed::plan;
using tridia::distributed::plan_options;
using tridia::distributed::strategy;

// The limit is long enough for ranks that share a busy core.
constexpr double kLimit = 2.5;

decomposition lines_of_ranks() { return decomposition({4 * world_size(), 6}, {world_size(), 1}); }

TEST(RankFault, ACommunicatorOfAnotherSizeIsRefused) {
  const communicator by = ranks();
  EXPECT_EQ(refusal(errc::invalid_argument,
                    [&] { plan lines(decomposition({99}, {world_size() + 1}), {}, by); }),
            "communicator: has " + std::to_string(world_size()) + " ranks, but the decomposition " +
                std::to_string(world_size() + 1));
}

/// All ranks learn what one rank alone refuses; the communicator can be used as before.
TEST(RankFault, RanksThatDisagreeAreRefused) {
  if (world_size() < 2) GTEST_SKIP() << "one rank agrees with itself";
  const communicator by = ranks();
  const bool odd = world_rank() == world_size() - 1;
  const auto expect_refused = [&](const std::string& name, const problem& p,
                                  const plan_options& o) {
    EXPECT_EQ(refusal(errc::invalid_argument,
                      [&] {
                        plan lines(lines_of_ranks(), odd ? p : problem{.axis = 0}, by,
                                   odd ? o : plan_options{});
                      }),
              name + ": ranks disagree, but it must be the same on all");
  };
  expect_refused("type", {.type = value_type::f32, .axis = 0}, {});
  expect_refused("axis", {.axis = 1}, {});
  expect_refused("boundary", {.axis = 0, .boundary = tridia::boundary::periodic}, {});
  expect_refused("pivoting", {.axis = 0, .pivoting = pivoting::none}, {});
  expect_refused("right_hand_sides", {.axis = 0, .right_hand_sides = 2}, {});
  expect_refused("strategy", {.axis = 0}, {.strategy = strategy::gather});
  expect_refused("statuses", {.axis = 0}, {.statuses = false});
  std::vector<std::vector<index_t>> parts{std::vector<index_t>(world_size(), 4), {6}};
  if (odd) parts[0][0] = 5;
  EXPECT_EQ(refusal(errc::invalid_argument,
                    [&] { plan lines(decomposition::of_parts(parts), {.axis = 0}, by); }),
            "decomposition: ranks disagree, but it must be the same on all");
  EXPECT_EQ(refusal(errc::invalid_argument, [&] { plan fine(lines_of_ranks(), {.axis = 0}, by); }),
            "");
}

TEST(RankFault, ADifferenceInWhatIsSolvedIsRefused) {
  if (world_size() < 2) GTEST_SKIP() << "one rank agrees with itself";
  const communicator by = ranks();
  const bool odd = world_rank() == world_size() - 1;
  const auto refused = [&](problem p) {
    p.axis = 0;
    return refusal(errc::invalid_argument, [&] { plan lines(lines_of_ranks(), p, by); });
  };
  EXPECT_EQ(refused({.operation = odd ? tridia::operation::transpose : tridia::operation::none}),
            "operation: ranks disagree, but it must be the same on all");
  EXPECT_EQ(refused({.short_off_diagonals = odd}),
            "short_off_diagonals: ranks disagree, but it must be the same on all");
}

TEST(RankFault, ARankThatRefusesIsHeardOfByAll) {
  const communicator by = ranks();
  const bool odd = world_rank() == world_size() - 1;
  problem p{.axis = 0};
  if (odd) p.extents = {3, 6};
  const std::string said =
      refusal(errc::invalid_argument, [&] { plan lines(lines_of_ranks(), p, by); });
  EXPECT_EQ(said, odd ? "extents: are (3, 6), but the block of rank " +
                            std::to_string(world_rank()) + " has (4, 6)"
                      : "problem: another rank has refused its own");
}

TEST(RankFault, WhatCannotBeSpreadIsRefused) {
  if (world_size() < 2) GTEST_SKIP() << "one rank has whole lines";
  const communicator by = ranks();
  const auto refused = [&](problem p, const plan_options& o = {}) {
    p.axis = 0;
    return refusal(errc::unsupported, [&] { plan lines(lines_of_ranks(), p, by, o); });
  };
  EXPECT_NE(refused({.offsets = {0, 1}}).find("offsets:"), std::string::npos);
  EXPECT_NE(refused({}, {.strategy = strategy::nearest}).find("pivoting partial"),
            std::string::npos);
  EXPECT_NE(refused({.pivoting = pivoting::none}, {.strategy = strategy::nearest})
                .find("neglected_coupling is not given"),
            std::string::npos);
}

TEST(RankFault, AGridWithoutAPointForEveryRankIsRefused) {
  EXPECT_EQ(refusal(errc::invalid_argument,
                    [] {
                      decomposition({5, 3}, {1, 4});
                    }),
            "extents: axis 1 has 3 points, fewer than its 4 ranks");
  EXPECT_EQ(refusal(errc::invalid_argument,
                    [] {
                      decomposition::of_parts({{5}, {1, 0}});
                    }),
            "parts: axis 1 has a part of 0 points, but every rank needs at least 1");
}

class AbsentRank : public ::testing::TestWithParam<strategy> {};

/// The last rank leaves out one execution: every other rank reports it within its limit, and at
/// once in the next execution.
TEST_P(AbsentRank, IsAnErrorOnAllOthers) {
  if (world_size() < 2) GTEST_SKIP() << "one rank waits for nobody";
  const communicator by = ranks(kLimit);
  split_problem s(lines_of_ranks(), {.axis = 0, .pivoting = pivoting::none});
  rng random = random_for("AbsentRank");
  s.fill(random);
  for (field* f : {&s.dl, &s.d, &s.du, &s.rhs}) f->scatter();
  plan lines(s.blocks, s.local(), by, {.strategy = GetParam()});
  const auto execute = [&] {
    lines.execute(s.dl.block(), s.d.block(), s.du.block(), s.rhs.block(), s.x.block());
    by.synchronize(nullptr);
  };
  execute();
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() != world_size() - 1) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(refusal(errc::peer_failure, execute), "");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    // Two waits follow each other if one rank has to learn of another's failure.
    EXPECT_LT(took.count(), 2 * kLimit + 2);
    EXPECT_NE(refusal(errc::peer_failure, execute).find("has failed before"), std::string::npos);
    EXPECT_NE(refusal(errc::peer_failure, [&] { plan another(s.blocks, s.local(), by); }), "");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

INSTANTIATE_TEST_SUITE_P(All, AbsentRank,
                         ::testing::Values(strategy::gather, strategy::pcr, strategy::all_to_all),
                         [](const auto& test) { return std::string(name(test.param)); });

/// A plan that ends while its messages travel does no harm to others.
TEST(RankFault, APlanMayEndBetweenStartAndFinish) {
  const communicator by = ranks();
  split_problem s(lines_of_ranks(), {.axis = 0});
  rng random = random_for("Ends");
  s.fill(random);
  for (field* f : {&s.dl, &s.d, &s.du, &s.rhs}) f->scatter();
  {
    plan lines(s.blocks, s.local(), by);
    lines.start(s.dl.block(), s.d.block(), s.du.block(), s.rhs.block(), s.x.block());
  }
  plan lines(s.blocks, s.local(), by);
  s.run(lines);
  EXPECT_LE(s.worst(), kBackwardBound);
}

TEST(RankFault, StartAndFinishTakeTurns) {
  const communicator by = ranks();
  split_problem s(lines_of_ranks(), {.axis = 0});
  rng random = random_for("Turns");
  s.fill(random);
  for (field* f : {&s.dl, &s.d, &s.du, &s.rhs}) f->scatter();
  plan lines(s.blocks, s.local(), by, {.statuses = false});
  const auto start = [&](index_t* status) {
    lines.start(s.dl.block(), s.d.block(), s.du.block(), s.rhs.block(), s.x.block(),
                {.status = status});
  };
  index_t status[64];
  EXPECT_NE(refusal(errc::invalid_argument, [&] { lines.finish(); }), "");
  EXPECT_NE(refusal(errc::invalid_argument, [&] { start(status); }).find("status:"),
            std::string::npos);
  start(nullptr);
  EXPECT_NE(refusal(errc::invalid_argument, [&] { start(nullptr); }), "");
  lines.finish();
  s.x.collect();
  EXPECT_LE(s.worst(), kBackwardBound);
}

}  // namespace
}  // namespace tridia_test
