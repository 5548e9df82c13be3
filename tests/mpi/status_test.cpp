// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// If a line has no solution, all of its ranks know it, x is NaN on all of them, and no other line
// is affected.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <limits>

#include "mpi/field.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::distributed::decomposition;
using tridia::distributed::plan;
using tridia::distributed::strategy;

constexpr long double kNaN = std::numeric_limits<long double>::quiet_NaN();

class RankStatus : public ::testing::TestWithParam<std::tuple<strategy, pivoting, boundary>> {
 protected:
  static constexpr index_t kLines = 37;
  RankStatus()
      : s_(decomposition({5 * world_size(), kLines}, {world_size(), 1}),
           {.axis = 0, .boundary = std::get<2>(GetParam()), .pivoting = std::get<1>(GetParam())}) {
    s_.fill(random_);
  }
  void SetUp() override {
    run_once(true);
    good_ = solution();
  }
  void set(field& f, index_t line, index_t row, wide v) { f.set(s_.at(line, row), v); }
  /// Returns the statuses that this rank gets, if every line has one.
  std::vector<index_t> run() {
    auto status = run_once(true);
    expect_that_these_fail(status);
    run_once(false);
    expect_that_these_fail(status);
    return status;
  }
  std::vector<index_t> run_once(bool ask) {
    const auto by = ranks();
    plan lines(s_.blocks, s_.local(), by, {.strategy = std::get<0>(GetParam())});
    return s_.run(lines, ask);
  }

  std::vector<wide> solution() const {
    std::vector<wide> all;
    for (index_t k = 0; k < kLines * s_.rows(); ++k) all.push_back(s_.x.get(k));
    return all;
  }
  /// Checks that x of a line that has failed is NaN in every row, and that others are unchanged,
  /// bit for bit.
  void expect_that_these_fail(const std::vector<index_t>& status) const {
    const std::vector<wide> x = solution();
    for (index_t line = 0; line < kLines; ++line)
      for (index_t row = 0; row < s_.rows(); ++row) {
        const auto at = static_cast<std::size_t>(s_.at(line, row));
        if (status[static_cast<std::size_t>(line)] != 0)
          EXPECT_TRUE(std::isnan(x[at].real())) << "line " << line << " row " << row;
        else
          EXPECT_EQ(x[at], good_[at]) << "line " << line << " row " << row;
      }
  }

  rng random_ = random_for("RankStatus");
  split_problem s_;
  std::vector<wide> good_;  // x where no line fails
};

TEST_P(RankStatus, NamesTheFirstRowThatIsNotFinite) {
  const index_t last = s_.rows() - 1;
  set(s_.rhs, 3, last, kNaN);
  set(s_.d, 4, 0, kNaN);
  set(s_.dl, 20, last / 2 + 1, std::numeric_limits<long double>::infinity());
  set(s_.rhs, 20, last, kNaN);
  const auto status = run();
  std::vector<index_t> expected(kLines, 0);
  expected[3] = -(last + 1), expected[4] = -1, expected[20] = -(last / 2 + 2);
  EXPECT_EQ(status, expected);
  EXPECT_LE(s_.worst({3, 4, 20}), kBackwardBound);
}

TEST_P(RankStatus, KnowsSingularLines) {
  for (const index_t line : {0, 36}) {
    const index_t row = line == 0 ? s_.rows() / 2 : s_.rows() - 1;  // a column of zeros
    set(s_.d, line, row, 0);
    set(s_.du, line, row - 1, 0);
    set(s_.dl, line, (row + 1) % s_.rows(), 0);
  }
  const auto status = run();
  for (index_t line = 0; line < kLines; ++line) {
    if (line == 0 || line == 36) {
      EXPECT_GT(status[line], 0);
      EXPECT_LE(status[line], s_.rows());
    } else {
      EXPECT_EQ(status[line], 0);
    }
  }
  EXPECT_LE(s_.worst({0, 36}), kBackwardBound);
}

TEST_P(RankStatus, IsTheSameOnAllRanks) {
  set(s_.rhs, 7, s_.rows() / 3, kNaN);
  set(s_.d, 8, 2, 0), set(s_.du, 8, 1, 0), set(s_.dl, 8, 3, 0);
  auto status = run();
  auto most = status;
  MPI_Allreduce(status.data(), most.data(), kLines, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(status, most);
}

INSTANTIATE_TEST_SUITE_P(All, RankStatus,
                         ::testing::Combine(::testing::Values(strategy::gather, strategy::allgather,
                                                              strategy::pcr, strategy::all_to_all),
                                            ::testing::Values(pivoting::none, pivoting::partial),
                                            ::testing::Values(boundary::regular,
                                                              boundary::periodic)),
                         [](const auto& test) {
                           return std::string(name(std::get<0>(test.param))) + '_' +
                                  std::string(name(std::get<1>(test.param))) + '_' +
                                  std::string(name(std::get<2>(test.param)));
                         });

/// Every rank's rows alone can be solved, but not all together.
TEST(RankStatusOfTheWhole, IsFoundWhereNoRankAloneFindsAnything) {
  if (world_size() < 2) GTEST_SKIP() << "one rank has the whole";
  const auto by = ranks();
  split_problem s(decomposition({world_size(), 4}, {world_size(), 1}),
                  {.axis = 0, .pivoting = pivoting::none});
  for (index_t line = 0; line < 4; ++line)
    for (index_t k = 0; k < s.rows(); ++k) {
      const index_t i = s.at(line, k);
      s.dl.set(i, k == 1 ? 1 : 0), s.d.set(i, 1), s.du.set(i, k == 0 ? 1 : 0), s.rhs.set(i, 1);
    }
  plan lines(s.blocks, s.local(), by);
  EXPECT_EQ(s.run(lines), std::vector<index_t>(4, s.rows()));
  for (index_t k = 0; k < 4 * s.rows(); ++k) EXPECT_TRUE(std::isnan(s.x.get(k).real())) << k;
}

/// All right-hand sides share one status: they fail together, on all ranks.
TEST(RankStatusOfRightHandSides, IsOne) {
  constexpr index_t lines = 5, rows = 4, columns = 3, bad = 2;
  const int n = world_size();
  const auto by = ranks();
  const tridia::problem p{.axis = 0, .right_hand_sides = columns, .pivoting = pivoting::none};
  plan all(decomposition({rows * n, lines}, {n, 1}), p, by);
  rng random = random_for("RightHandSides");
  const auto drawn = [&](index_t count, bool dominant) {
    std::vector<double> v(static_cast<std::size_t>(count));
    for (double& e : v)
      e = static_cast<double>(
          (dominant ? draw_dominant(random, p.type) : draw_number(random, p.type)).real());
    return v;
  };
  std::vector<double> b = drawn(columns * rows * lines, false);
  if (world_rank() + 1 == n)  // of the second right-hand side
    b[(rows + rows - 1) * lines + bad] = static_cast<double>(kNaN);
  ranks_array<double> dl(drawn(rows * lines, false)), d(drawn(rows * lines, true)),
      du(drawn(rows * lines, false)), rhs(b), x(std::vector<double>(b.size()));
  ranks_array<index_t> status(std::vector<index_t>(lines, 99));
  for (index_t* const to : {status.there(), static_cast<index_t*>(nullptr)}) {
    x.set(std::vector<double>(b.size()));
    all.execute(dl.there(), d.there(), du.there(), rhs.there(), x.there(), {.status = to});
    const std::vector<double> found = x.get();
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(std::isnan(found[k]), k % lines == bad) << k;
  }
  EXPECT_EQ(status.get(), (std::vector<index_t>{0, 0, -rows * n, 0, 0}));
}

}  // namespace
}  // namespace tridia_test
