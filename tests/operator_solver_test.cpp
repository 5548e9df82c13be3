// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Constant coefficients that a CPU solves with as an operator: whole lines, short ones by a dense
// matrix, and parts of long ones, whose sums see a window of their line alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::backend;
using tridia::boundary;
using tridia::near_toeplitz;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

constexpr value_type kReal[] = {value_type::f32, value_type::f64};

problem constants(const near_toeplitz& a, std::vector<index_t> extents, value_type type) {
  problem p{.type = type, .extents = std::move(extents)};
  p.axis = static_cast<int>(p.extents.size()) - 1;
  p.coefficients = tridia::coefficients::constant;
  p.matrix = a;
  return p;
}

near_toeplitz::row dominant_row(rng& random) {
  std::uniform_real_distribution<double> part(-1, 1);
  return {part(random), 4 + part(random), part(random)};
}

experiment filled(const problem& p, const run_options& m, rng& random) {
  experiment e(p, m);
  e.fill_matrices(random);
  e.fill_rhs(random);
  return e;
}

run_options on_cpu(int threads = 1, bool in_place = false) {
  run_options m{.backend = backend::cpu, .threads = threads};
  if (in_place) m.alias = role::rhs;
  return m;
}

std::string reason_of(const problem& p) {
  const tridia::plan made(p, {.backend = backend::cpu});
  return std::string(name(made.algorithm())) + ": " + made.reason();
}
bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(OperatorSolver, IsChosenByShapeAndMatrix) {
  const near_toeplitz dominant{.interior = {1, 4, 1}}, weak{.interior = {-1, 2, -1}};
  for (const value_type t : kReal) {
    for (const index_t n : {1, 2, 8}) {
      EXPECT_TRUE(contains(reason_of(constants(dominant, {300, n}, t)), "dense matrix"));
    }
    EXPECT_FALSE(contains(reason_of(constants(dominant, {300, 9}, t)), "dense matrix"));
    EXPECT_FALSE(contains(reason_of(constants(weak, {300, 8}, t)), "dense matrix"));
    for (const index_t lines : {1, 9, 255}) {
      const std::string reason = reason_of(constants(dominant, {lines, 8192}, t));
      EXPECT_TRUE(contains(reason, "partition: ")) << reason;
      EXPECT_TRUE(contains(reason, "sums at their borders")) << reason;
    }
    EXPECT_FALSE(contains(reason_of(constants(dominant, {9, 4095}, t)), "partition: "));
    problem across = constants(dominant, {8192, 9}, t);
    across.axis = 0;
    EXPECT_FALSE(contains(reason_of(across), "partition: "));
    // Influences that do not decay are no short sums.
    EXPECT_TRUE(contains(reason_of(constants(weak, {9, 8192}, t)), "no line is cut"));
    EXPECT_TRUE(contains(reason_of(constants(weak, {2, 8192}, t)), "parts of"));
  }
  EXPECT_FALSE(contains(reason_of(constants(dominant, {300, 8}, value_type::c64)), "dense matrix"));
}

// Lengths lie around those that a matrix, a chunk, a vector and a part have.
TEST(OperatorSolver, SolvesLinesOfAnyLength) {
  rng random = random_for("SolvesLinesOfAnyLength");
  bool in_place = false;
  for (const value_type t : kReal)
    for (const boundary b : {boundary::regular, boundary::periodic})
      for (const index_t n : {1,  2,  3,  4,  5,  6,   7,   8,    9,    15,   16,   17,
                              31, 63, 64, 65, 80, 129, 257, 4095, 4096, 4097, 6200, 20011})
        for (const index_t lines : {1, 21, 70, 300}) {
          if (n * lines > 40000) continue;
          near_toeplitz a{.interior = dominant_row(random)};
          for (index_t k = 0; k < std::min<index_t>(n - 1, draw(random, 0, 2)); ++k)
            (k % 2 == 0 ? a.tail : a.head).push_back(dominant_row(random));
          problem p = constants(a, {lines, n}, t);
          p.boundary = b;
          p.operation = flip(random) ? tridia::operation::transpose : tridia::operation::none;
          p.pivoting = flip(random) ? pivoting::partial : pivoting::none;
          experiment e = filled(p, on_cpu(2, in_place = !in_place), random);
          ASSERT_EQ(e.run(), "") << n << ' ' << lines;
          ASSERT_EQ(check_solution(e, 12), "") << n << ' ' << lines << ' ' << e.plan().reason();
          ASSERT_EQ(e.status(), std::vector<index_t>(static_cast<std::size_t>(lines)));
        }
}

TEST(OperatorSolver, TakesLinesAnywhere) {
  rng random = random_for("TakesLinesAnywhere");
  struct strides {
    std::vector<index_t> extents, rhs, x;
  };
  for (const value_type t : kReal)
    for (const index_t n : {5, 40, 5000})
      for (const strides& s :
           {strides{{7, n}, {n + 3, 1}, {2 * n, 1}}, strides{{7, n}, {-n, 1}, {-n - 5, 1}},
            strides{{3, 4, n}, {n, 3 * n, 1}, {4 * n + 1, n, 1}}, strides{{7, n}, {n, -1}, {n, -1}},
            strides{{7, n}, {n, 1}, {2 * n, 2}}}) {
        problem p = constants({.interior = dominant_row(random)}, s.extents, t);
        p.rhs_strides = s.rhs, p.x_strides = s.x;
        experiment e = filled(p, on_cpu(2), random);
        ASSERT_EQ(e.run(), "");
        ASSERT_EQ(check_solution(e, 12), "") << n << ' ' << s.rhs[0];
      }
}

// Pivoting interchanges most rows; without, pivots are small but not zero.
TEST(OperatorSolver, LeavesHardMatricesToElimination) {
  rng random = random_for("LeavesHardMatricesToElimination");
  for (const value_type t : kReal)
    for (const index_t n : {2, 6, 8, 50, 300})
      for (const near_toeplitz& a :
           {near_toeplitz{.interior = {1, 0.3, 1.1}}, near_toeplitz{.interior = {1, 0.1, -1}},
            near_toeplitz{.interior = {-1, 2, -1}}}) {
        problem p = constants(a, {40, n}, t);
        p.pivoting = pivoting::partial;
        experiment e = filled(p, on_cpu(), random);
        ASSERT_EQ(e.run(), "");
        ASSERT_EQ(check_solution(e, 12), "") << n << ' ' << a.interior.dl;
      }
}

TEST(OperatorSolver, DoesNotDependOnThreads) {
  rng random = random_for("OperatorSolverThreads");
  for (const value_type t : kReal)
    for (const auto& extents : std::vector<std::vector<index_t>>{
             {3000, 6}, {200, 300}, {33, 1000}, {40, 9001}, {1, 40003}}) {
      problem p = constants({.interior = dominant_row(random)}, extents, t);
      p.boundary = flip(random) ? boundary::periodic : boundary::regular;
      experiment one = filled(p, on_cpu(), random);
      EXPECT_EQ(one.run(), "");
      for (const int threads : {2, 8}) {
        experiment other(p, on_cpu(threads));
        copy_inputs(one, other);
        EXPECT_EQ(other.run(), "");
        for (index_t s = 0; s < extents[0]; ++s)
          ASSERT_EQ(one.solution_bytes(s), other.solution_bytes(s)) << threads << " threads";
      }
    }
}

/// Expects that line 2 of five is NaN throughout and has the status of row `first`, and that all
/// others are what they are without.
void expect_failure(const experiment& spoilt, const experiment& good, index_t first) {
  ASSERT_EQ(check_all_nan(spoilt, 2), "") << "row " << first;
  for (index_t s = 0; s < 5; ++s) {
    ASSERT_EQ(spoilt.status()[static_cast<std::size_t>(s)], s == 2 ? -first - 1 : 0) << first;
    if (s != 2) {
      ASSERT_EQ(spoilt.solution_bytes(s), good.solution_bytes(s)) << "row " << first;
    }
  }
}

/// Spoils rows of a line, one at a time and two together.
void spoil_rows(const problem& p, const run_options& m, const std::vector<index_t>& rows,
                rng& random) {
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  experiment good = filled(p, m, random), spoilt(p, m);
  ASSERT_EQ(good.run(), "");
  spoilt.start_from(1234);
  const auto spoil = [&](index_t row) {
    const index_t column = draw(random, 0, spoilt.where().columns(role::rhs) - 1);
    spoilt.set(role::rhs, 2, row, flip(random) ? nan : -infinity, column);
  };
  for (const index_t row : rows) {
    copy_inputs(good, spoilt);
    spoil(row);
    ASSERT_EQ(spoilt.run(), "");
    expect_failure(spoilt, good, row);
    if (::testing::Test::HasFatalFailure()) return;
  }
  copy_inputs(good, spoilt);
  spoil(p.extents[1] - 1);
  spoil(rows.back());
  ASSERT_EQ(spoilt.run(), "");
  expect_failure(spoilt, good, rows.back());
}

// Of a long line, most parts do not see the row.
TEST(OperatorSolver, NamesTheFirstRowThatIsNotFinite) {
  rng random = random_for("NamesTheFirstRowThatIsNotFinite");
  for (const value_type t : kReal)
    for (const boundary b : {boundary::regular, boundary::periodic})
      for (const index_t n : {1, 2, 3, 8, 9, 100, 300, 10000})
        for (const index_t columns : {1, 3}) {
          problem p = constants({.interior = dominant_row(random)}, {5, n}, t);
          p.boundary = b;
          p.right_hand_sides = columns;
          std::vector<index_t> rows{n - 1, 0, draw(random, 0, n - 1)};
          if (n == 10000) rows.insert(rows.begin(), {2047, 2048, 4095});
          spoil_rows(p, on_cpu(2, flip(random)), rows, random);
          if (HasFatalFailure()) return;
        }
}

TEST(OperatorSolver, TellsOfOverflow) {
  rng random = random_for("TellsOfOverflow");
  for (const value_type t : kReal)
    for (const index_t n : {3, 8, 9, 100, 20000})
      for (const bool in_place : {false, true}) {
        const double tiny = t == value_type::f64 ? 1e-300 : 1e-30;
        const problem p = constants({.interior = {0, tiny, 0}}, {5, n}, t);
        const index_t row = draw(random, 0, n - 1);
        experiment e = filled(p, on_cpu(2, in_place), random);
        e.start_from(1234);
        e.set(role::rhs, 3, row, 1 / tiny);
        ASSERT_EQ(e.run(), "");
        ASSERT_EQ(check_all_nan(e, 3), "") << n << ' ' << row;
        ASSERT_EQ(e.status()[3], n > 8 ? -row - 1 : -1) << n;
        for (const std::size_t s : {0, 1, 2, 4}) ASSERT_EQ(e.status()[s], 0);
      }
}

// x of a periodic line overflows in a row alone, where what the last row adds does.
TEST(OperatorSolver, SeesOneRowOfAPeriodicLineOverflow) {
  for (const index_t n : {9, 64, 300}) {
    near_toeplitz a{.interior = {0, 1, 0}};
    a.head = {{0, 1, 0}, {0, 1, 0}};
    a.tail = {{0, 1, 0}};
    a.head[0].dl = 1e10;
    problem p = constants(a, {3, n}, value_type::f64);
    p.boundary = boundary::periodic;
    rng random = random_for("SeesOneRowOfAPeriodicLineOverflow");
    experiment e = filled(p, on_cpu(), random);
    e.start_from(1234);
    e.set(role::rhs, 1, n - 1, 1e300);
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(check_all_nan(e, 1), "");
    ASSERT_LT(e.status()[1], 0);
    ASSERT_EQ(e.status()[0], 0);
    ASSERT_EQ(e.status()[2], 0);
  }
}

}  // namespace
}  // namespace tridia_test
