// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Short systems of which several have one matrix: a thread has some of its right-hand sides.
#include "solver/cuda/short_systems.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::cuda::plan_short_systems;

problem with_sides(problem p, index_t sides) {
  p.right_hand_sides = sides;
  return p;
}
problem of_one_matrix(problem p) {
  p.coefficients = coefficients::shared;
  return p;
}

/// Returns problems with `n` rows a system whose matrices have several right-hand sides, in every
/// order of systems, rows and right-hand sides.
std::vector<problem> problems(value_type type, index_t n) {
  std::vector<problem> all;
  for (const index_t sides : {2, 3, 4, 9}) {
    all.push_back(with_sides({.type = type, .extents = {5, n}}, sides));
    all.push_back(with_sides({.type = type, .extents = {3, n, 40}, .axis = 1}, sides));
  }
  problem inner = with_sides({.type = type, .extents = {6, n}}, 3);
  inner.rhs_strides = inner.x_strides = {3 * n, 3};
  inner.rhs_step = inner.x_step = 1;
  all.push_back(inner);
  all.push_back(of_one_matrix({.type = type, .extents = {37, n}}));
  all.push_back(of_one_matrix({.type = type, .extents = {n, 200}, .axis = 0}));
  all.push_back(with_sides(of_one_matrix({.type = type, .extents = {7, n, 3}, .axis = 1}), 2));
  return all;
}

TEST(ShortSystemsShape, HasEveryLineOnce) {
  std::vector<problem> all = problems(value_type::f64, 4);
  all.push_back(of_one_matrix({.extents = {1 << 19, 4}}));
  all.push_back(with_sides({.extents = {1 << 18, 4}}, 3));
  for (const problem& p : all) {
    SCOPED_TRACE(describe(p));
    const tridia::solver::task t = task_of(p);
    const auto shape = plan_short_systems(t);
    ASSERT_TRUE(shape);
    const index_t sides = t.geometry.right_sides.size;
    EXPECT_GE(shape->apart, 1);
    EXPECT_LE(shape->apart, sides);
    std::vector<int> found(static_cast<std::size_t>(sides));
    for (index_t first = 0; first < shape->apart; ++first)
      for (index_t side = first; side < sides; side += shape->apart)
        ++found[static_cast<std::size_t>(side)];
    EXPECT_EQ(found, std::vector<int>(found.size(), 1));
  }
}
TEST(ShortSystemsShape, GivesThreadsSeveralSidesWhereThereAreEnough) {
  const auto apart = [](const problem& p) { return plan_short_systems(task_of(p))->apart; };
  EXPECT_EQ(apart(with_sides({.extents = {100, 4}}, 4)), 4);
  EXPECT_EQ(apart(with_sides({.extents = {1 << 18, 2}}, 4)), 1);
  EXPECT_EQ(apart(of_one_matrix({.extents = {1 << 20, 2}})), 1 << 18);
}
TEST(ShortSystemsShape, IsForShortSystemsThatShareMatrices) {
  EXPECT_FALSE(plan_short_systems(task_of({.extents = {9, 4}})));
  EXPECT_TRUE(plan_short_systems(task_of(with_sides({.extents = {9, 4}}, 2))));
  EXPECT_TRUE(plan_short_systems(task_of(with_sides({.extents = {9, 8}}, 2))));
  EXPECT_FALSE(plan_short_systems(task_of(with_sides({.extents = {9, 9}}, 2))));
  EXPECT_TRUE(plan_short_systems(task_of(of_one_matrix({.extents = {9, 8}}))));
  EXPECT_FALSE(plan_short_systems(task_of(of_one_matrix({.extents = {1, 8}}))));
  EXPECT_FALSE(plan_short_systems(task_of(of_one_matrix({.extents = {1 << 20, 4}}))));
  // Of many rows in all, only the shortest lines.
  EXPECT_TRUE(plan_short_systems(task_of(with_sides({.extents = {1 << 20, 4}}, 4))));
  EXPECT_FALSE(plan_short_systems(task_of(with_sides({.extents = {1 << 20, 8}}, 4))));
}

class ShortSystems : public ::testing::TestWithParam<value_type> {
 protected:
  rng random_ = random_for("ShortSystems");
};

TEST_P(ShortSystems, Solve) {
  for (const index_t n : {1, 2, 3, 4, 5, 7, 8})
    for (problem p : problems(GetParam(), n))
      for (const pivoting pivots : {pivoting::none, pivoting::partial})
        for (const boundary b : {boundary::regular, boundary::periodic})
          for (const auto o : {tridia::operation::none, tridia::operation::conjugate_transpose}) {
            p.pivoting = pivots, p.boundary = b, p.operation = o;
            run_options how{.backend = tridia::backend::cuda};
            if (flip(random_)) how.alias = role::rhs;
            experiment e(p, how);
            SCOPED_TRACE(describe(p) + (how.alias ? " in place" : ""));
            ASSERT_NE(e.plan().reason().find("right-hand sides of a matrix"), std::string::npos)
                << e.plan().reason();
            e.fill_matrices(random_, draw_size(random_));
            e.fill_rhs(random_);
            ASSERT_EQ(e.run(), "");
            ASSERT_EQ(check_solution(e, 0), "");
          }
}

/// The lines that a thread has together have nothing else in common.
TEST_P(ShortSystems, LinesOfOneMatrixFailByThemselves) {
  for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
    problem p = of_one_matrix({.type = GetParam(), .extents = {50, 5}, .pivoting = pivots});
    experiment e(p, {.backend = tridia::backend::cuda, .alias = role::rhs});
    e.fill_matrices(random_);
    e.fill_rhs(random_);
    e.set(role::rhs, 3, 2, std::numeric_limits<long double>::quiet_NaN());
    e.set(role::rhs, 49, 4, std::numeric_limits<long double>::infinity());
    EXPECT_EQ(e.run(), "");
    std::vector<index_t> status(50);
    status[3] = -3, status[49] = -5;
    EXPECT_EQ(e.status(), status);
    for (index_t line = 0; line < 50; ++line) {
      if (status[static_cast<std::size_t>(line)] != 0) {
        EXPECT_EQ(check_all_nan(e, line), "");
      } else {
        EXPECT_LE(backward_error(matrix_of(e, line), solution_of(e, line, 0), rhs_of(e, line, 0)),
                  kBackwardBound * epsilon(GetParam()));
      }
    }
  }
}

/// Right-hand sides that have one status fail together, and their neighbours do not.
TEST_P(ShortSystems, SystemsFailByThemselves) {
  problem p = with_sides({.type = GetParam(), .extents = {40, 4}}, 6);
  experiment e(p, {.backend = tridia::backend::cuda});
  e.fill_matrices(random_);
  e.fill_rhs(random_);
  e.set(role::rhs, 1, 2, std::numeric_limits<long double>::quiet_NaN(), 5);
  for (const role entry : {role::dl, role::d, role::du}) e.set(entry, 2, 0, 0);
  EXPECT_EQ(e.run(), "");
  std::vector<index_t> status = e.status();
  EXPECT_GT(status[2], 0);
  status[2] = 0;
  std::vector<index_t> expected(40);
  expected[1] = -3;
  EXPECT_EQ(status, expected);
  EXPECT_EQ(check_all_nan(e, 1), "");
  EXPECT_EQ(check_all_nan(e, 2), "");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ShortSystems);
INSTANTIATE_TEST_SUITE_P(All, ShortSystems, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
