// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Arrays whose rows, or systems, are one entry: strides of 0 along any axis, against the reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/random.hpp"
#include "tridia/plan.hpp"
#include "tridia/solve.hpp"

namespace tridia_test {
namespace {

using tridia::backend;
using tridia::boundary;
using tridia::index_t;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;

class ZeroStep : public testing::Test {
 protected:
  /// Draws the strides of a dense array in which each axis may be one entry.
  std::vector<index_t> strides(const problem& p, bool all_rows) {
    std::vector<index_t> s(p.extents.size());
    index_t next = 1;
    for (std::size_t k = s.size(); k-- > 0; next *= p.extents[k]) {
      const bool kept = all_rows && static_cast<int>(k) == p.axis;
      s[k] = !kept && draw(random_, 0, 2) == 0 ? 0 : next;
    }
    return s;
  }
  problem drawn() {
    problem p;
    p.extents = {draw(random_, 1, 20), draw(random_, 1, 20), draw(random_, 1, 20)};
    p.axis = static_cast<int>(draw(random_, 0, 2));
    p.pivoting = flip(random_) ? pivoting::none : pivoting::partial;
    if (flip(random_)) p.operation = operation::transpose;
    if (flip(random_)) p.boundary = boundary::periodic;
    p.dl_strides = strides(p, false), p.d_strides = strides(p, false);
    p.du_strides = strides(p, false), p.rhs_strides = strides(p, false);
    return p;
  }
  rng random_ = random_for("ZeroStep");
};

TEST_F(ZeroStep, AgreesWithTheReference) {
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    const problem p = drawn();
    const auto size = static_cast<std::size_t>(p.extents[0] * p.extents[1] * p.extents[2]);
    std::vector<double> dl(size), d(size), du(size), rhs(size), x(size), expected(size);
    for (std::size_t k = 0; k < size; ++k) {
      const auto number = [&] { return static_cast<double>(draw(random_, -100, 100)) / 100; };
      dl[k] = number(), d[k] = 3 + number(), du[k] = number(), rhs[k] = number();
    }
    const auto solve = [&](backend b, std::vector<double>& to) {
      tridia::solve(p, dl.data(), d.data(), du.data(), rhs.data(), to.data(), {.backend = b});
    };
    solve(backend::reference, expected);
    solve(backend::cpu, x);
    for (std::size_t k = 0; k < size; ++k) ASSERT_NEAR(x[k], expected[k], 1e-12) << round;
  }
}

// A matrix may have no right-hand side, and a line no row.
TEST(NoElements, HaveStatusesAllTheSame) {
  for (const auto c : {tridia::coefficients::shared, tridia::coefficients::per_system}) {
    for (const index_t rows : {0, 3}) {
      problem p{.extents = {5, rows}, .axis = 1};
      p.coefficients = c, p.right_hand_sides = 0;
      const tridia::plan plan(p, {.backend = backend::cpu, .threads = 2});
      std::vector<double> a(15, 4.0);
      std::vector<char> workspace(plan.workspace_bytes());
      std::vector<index_t> status(5, 7);
      plan.execute(a.data(), a.data(), a.data(), a.data(), a.data(),
                   {.workspace = workspace.data(),
                    .workspace_bytes = workspace.size(),
                    .status = status.data()});
      EXPECT_EQ(status, std::vector<index_t>(5, 0));
    }
  }
}

}  // namespace
}  // namespace tridia_test
