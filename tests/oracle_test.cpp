// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check the oracle itself, on cases worked out by hand.
#include "support/layout.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/experiment.hpp"
#include "support/lapack.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

using tridia::problem;

std::vector<index_t> places(const problem& p, role r, index_t system, index_t column = 0) {
  const line l = layout(p).of(r, system, column);
  std::vector<index_t> result;
  for (index_t row = l.first; row < l.last; ++row) result.push_back(l.at(row));
  return result;
}

using list = std::vector<index_t>;

TEST(Layout, Dense) {
  const problem p{.extents = {2, 3, 4}, .axis = 1, .right_hand_sides = 2};
  EXPECT_EQ(layout(p).systems(), 8);
  EXPECT_EQ(places(p, role::d, 0), (list{0, 4, 8}));
  EXPECT_EQ(places(p, role::x, 5), (list{13, 17, 21}));
  EXPECT_EQ(places(p, role::x, 5, 1), (list{37, 41, 45}));
}

TEST(Layout, Strided) {
  const problem p{.extents = {2, 3}, .d_strides = {-10, 2}, .x_strides = {1, -5}};
  EXPECT_EQ(places(p, role::d, 1), (list{-10, -8, -6}));
  EXPECT_EQ(places(p, role::x, 1), (list{1, -4, -9}));
  EXPECT_EQ(layout(p).extent(role::d).first, -10);
  EXPECT_EQ(layout(p).extent(role::d).last, 4);
}

TEST(Layout, Shared) {
  const problem p{.extents = {3, 2}, .axis = 0, .coefficients = tridia::coefficients::shared};
  EXPECT_EQ(places(p, role::d, 1), (list{0, 1, 2}));
  EXPECT_EQ(places(p, role::rhs, 1), (list{1, 3, 5}));
}

TEST(Layout, Short) {
  const problem p{.extents = {2, 3}, .short_off_diagonals = true};
  const layout l(p);
  EXPECT_EQ(places(p, role::dl, 1), (list{2, 3}));
  EXPECT_EQ(l.of(role::dl, 1).first, 1);
  EXPECT_EQ(l.of(role::du, 1).first, 0);
  EXPECT_EQ(places(p, role::du, 1), (list{2, 3}));
}

TEST(Layout, RaggedShort) {
  problem p{.extents = {6}, .offsets = {0, 3, 3, 4, 6}};
  EXPECT_EQ(places(p, role::d, 3), (list{4, 5}));
  EXPECT_EQ(places(p, role::d, 1), (list{}));
  p.short_off_diagonals = true;
  EXPECT_EQ(places(p, role::dl, 0), (list{0, 1}));
  EXPECT_EQ(places(p, role::dl, 2), (list{}));
  EXPECT_EQ(places(p, role::du, 3), (list{2}));
}

// These are the pictures of problem.hpp: systems of 4, 2 and 1 rows.
TEST(Layout, Packed) {
  problem p{
      .extents = {7}, .offsets = {0, 4, 6, 7}, .ragged_layout = tridia::ragged_layout::packed};
  EXPECT_EQ(places(p, role::d, 0), (list{0, 3, 5, 6}));
  EXPECT_EQ(places(p, role::d, 1), (list{1, 4}));
  EXPECT_EQ(places(p, role::d, 2), (list{2}));
  p.short_off_diagonals = true;
  EXPECT_EQ(places(p, role::dl, 0), (list{0, 2, 3}));
  EXPECT_EQ(places(p, role::du, 1), (list{1}));
  EXPECT_EQ(places(p, role::dl, 2), (list{}));
}

TEST(Layout, Padded) {
  problem p{.extents = {4, 3},
            .axis = 0,
            .offsets = {0, 4, 6, 7},
            .ragged_layout = tridia::ragged_layout::padded};
  EXPECT_EQ(places(p, role::rhs, 0), (list{0, 3, 6, 9}));
  EXPECT_EQ(places(p, role::rhs, 1), (list{1, 4}));
  p.extents = {3, 4}, p.axis = 1;
  EXPECT_EQ(places(p, role::rhs, 1), (list{4, 5}));
  EXPECT_EQ(places(p, role::rhs, 2), (list{8}));
}

/// Returns A of a problem with dl = 1, 2, …, d = 11, 12, … and du = 21, 22, …, row by row.
std::vector<int> dense(index_t n, tridia::boundary b, tridia::operation o) {
  experiment e({.type = tridia::value_type::c64, .extents = {n}, .boundary = b, .operation = o},
               {});
  for (index_t row = 0; row < n; ++row) {
    e.set(role::dl, 0, row, wide(row + 1));
    e.set(role::d, 0, row, wide(row + 11));
    e.set(role::du, 0, row, wide(row + 21));
  }
  e.give();
  std::vector<int> a(static_cast<std::size_t>(n * n));
  for (const term& t : matrix_of(e, 0))
    a[static_cast<std::size_t>(t.row * n + t.column)] += static_cast<int>(t.value.real());
  return a;
}

TEST(Oracle, Matrices) {
  using enum tridia::boundary;
  const auto none = tridia::operation::none, transpose = tridia::operation::transpose;
  EXPECT_EQ(dense(3, regular, none), (std::vector<int>{11, 21, 0, 2, 12, 22, 0, 3, 13}));
  EXPECT_EQ(dense(3, regular, transpose), (std::vector<int>{11, 2, 0, 21, 12, 3, 0, 22, 13}));
  EXPECT_EQ(dense(3, periodic, none), (std::vector<int>{11, 21, 1, 2, 12, 22, 23, 3, 13}));
  EXPECT_EQ(dense(2, periodic, none), (std::vector<int>{11, 22, 24, 12}));
  EXPECT_EQ(dense(2, periodic, transpose), (std::vector<int>{11, 24, 22, 12}));
  EXPECT_EQ(dense(1, periodic, none), (std::vector<int>{33}));
  EXPECT_EQ(dense(1, regular, none), (std::vector<int>{11}));
}

TEST(Oracle, BackwardError) {
  const std::vector<term> a{{0, 0, 2}, {0, 1, 1}, {1, 1, 4}};
  EXPECT_EQ(backward_error(a, {1, 2}, {4, 8}), 0);
  EXPECT_NEAR(static_cast<double>(backward_error(a, {1, 2}, {4, 8.5})), 0.5 / 16.5, 1e-15);
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_FALSE(backward_error(a, {nan, 2}, {4, 8}) <= 1);
  EXPECT_FALSE(backward_error(a, {1, nan}, {4, 8}) <= 1);
}

TEST(Oracle, SingularValuesOfLatms) {
  rng random = random_for("latms");
  for (const bool complex : {false, true}) {
    const tridiagonal a = latms(complex, 40, 2, 1e6, 1, 1, random);
    // In mode 2, all singular values are 1 except one; the 1-norm condition is within a factor of
    // n.
    const double condition = 1 / reciprocal_condition(a);
    EXPECT_GT(condition, 1e6 / 40);
    EXPECT_LT(condition, 1e6 * 40);
  }
}

}  // namespace
}  // namespace tridia_test
