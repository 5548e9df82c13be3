// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// A system without a finite solution: its status names the row, and its neighbours are bit for bit
// what they are alone. Or as good: where a GPU solves systems that follow each other as one,
// rounding depends on where they lie, and where one of them is bad they are solved one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "layout/resolve.hpp"
#include "solver/line_status.hpp"
#include "support/experiment.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::operation;
using tridia::pivoting;
using tridia::problem;

constexpr index_t kRows = 11, kBatch = 19;

struct shape_case {
  const char* name;
  problem p;
};

std::vector<shape_case> shapes() {
  std::vector<shape_case> all;
  const auto add = [&](const char* name, problem p) { all.push_back({name, std::move(p)}); };
  add("contiguous", {.extents = {kBatch, kRows}});
  add("interleaved", {.extents = {kRows, kBatch}, .axis = 0});
  add("periodic", {.extents = {kBatch, kRows}, .boundary = tridia::boundary::periodic});
  add("periodic_interleaved",
      {.extents = {kRows, kBatch}, .axis = 0, .boundary = tridia::boundary::periodic});
  add("several_rhs", {.extents = {kBatch, kRows}, .right_hand_sides = 3});
  add("several_rhs_interleaved", {.extents = {kRows, kBatch}, .axis = 0, .right_hand_sides = 3});
  problem ragged{.extents = {0}, .offsets = {0}};
  for (index_t s = 0; s < kBatch; ++s) ragged.offsets.push_back(ragged.offsets.back() + kRows + s);
  ragged.extents[0] = ragged.offsets.back();
  add("ragged", ragged);
  return all;
}

// Those that do not share one enter it themselves; zeros are there beforehand where some do.
TEST(LineStatus, IsSharedAmongRightHandSides) {
  const auto shared = [](problem p, tridia::coefficients c) {
    p.coefficients = c;
    return tridia::solver::shares_status(
        tridia::layout::make_geometry(p, tridia::layout::resolve(p)));
  };
  for (const auto c : {tridia::coefficients::per_system, tridia::coefficients::shared,
                       tridia::coefficients::constant}) {
    EXPECT_FALSE(shared({.extents = {5, 7}}, c));
    EXPECT_FALSE(shared({.extents = {5, 7, 3}, .axis = 1}, c));
    EXPECT_TRUE(shared({.extents = {5, 7}, .right_hand_sides = 2}, c));
    EXPECT_TRUE(shared({.extents = {5, 7, 3}, .axis = 1, .right_hand_sides = 2}, c));
    EXPECT_TRUE(shared({.extents = {7}, .right_hand_sides = 2}, c));
  }
  const auto own = tridia::coefficients::per_system;
  EXPECT_FALSE(shared({.extents = {7}, .offsets = {0, 3, 7}}, own));
  EXPECT_TRUE(shared({.extents = {7}, .right_hand_sides = 2, .offsets = {0, 3, 7}}, own));
}

TEST(LineStatus, IsEnteredOrAdded) {
  index_t status = 77;
  tridia::solver::enter_line_status(&status, false, 0);
  EXPECT_EQ(status, 0);
  tridia::solver::enter_line_status(&status, false, -5);
  EXPECT_EQ(status, -5);
  tridia::solver::enter_line_status(&status, true, 0);
  EXPECT_EQ(status, -5);
  tridia::solver::enter_line_status(&status, true, -7);
  EXPECT_EQ(status, -5);
  tridia::solver::enter_line_status(&status, true, -3);
  EXPECT_EQ(status, -3);
}

struct config {
  tridia::backend backend;
  tridia::value_type type;
  tridia::pivoting pivoting;
  tridia::operation operation;
  bool factored;
};

std::vector<config> configs() {
  std::vector<config> all;
  for (const tridia::backend b : backends())
    for (const tridia::value_type t : kTypes)
      for (const pivoting p : {pivoting::partial, pivoting::none})
        for (const operation o : {operation::none, operation::transpose})
          for (const bool factored : {false, true}) all.push_back({b, t, p, o, factored});
  return all;
}

std::string name(const config& c) {
  const auto part = [](auto value) { return std::string(tridia::name(value)) + '_'; };
  return part(c.backend) + part(c.type) + part(c.pivoting) + part(c.operation) +
         (c.factored ? "factored" : "executed");
}
void PrintTo(const config& c, std::ostream* out) { *out << name(c); }

/// One system of a problem as a problem of its own, in the same layout.
problem alone(const layout& all, index_t system) {
  problem p = all.problem();
  if (!p.offsets.empty()) {
    p.offsets = {0, all.rows(system)};
    p.extents = {all.rows(system)};
    return p;
  }
  const auto rank = static_cast<int>(p.extents.size());
  const int axis = p.axis < 0 ? p.axis + rank : p.axis;
  for (int k = 0; k < rank; ++k)
    if (k != axis) p.extents[static_cast<std::size_t>(k)] = 1;
  return p;
}

class Status : public ::testing::TestWithParam<config> {
 protected:
  [[nodiscard]] manner how() const {
    return {.backend = GetParam().backend, .threads = 2, .factored = GetParam().factored};
  }

  void start(problem p) {
    p.type = GetParam().type;
    p.pivoting = GetParam().pivoting;
    p.operation = GetParam().operation;
    e_ = std::make_unique<experiment>(p, how());
    e_->fill_matrices(random_);
    e_->fill_rhs(random_);
    ASSERT_EQ(e_->run(), "");
    undisturbed_.clear();
    for (index_t s = 0; s < e_->where().systems(); ++s) {
      expect_solved(s);
      undisturbed_.push_back(on_gpu() ? e_->solution_bytes(s) : solve_alone(s));
    }
    expect_neighbours_untouched(-1);
  }

  std::vector<std::byte> solve_alone(index_t system) {
    experiment single(alone(e_->where(), system), how());
    for (const role r : {role::dl, role::d, role::du, role::rhs})
      for (index_t c = 0; c < e_->where().columns(r); ++c)
        for (index_t row = 0; row < e_->where().rows(system); ++row)
          single.set(r, 0, row, e_->given(r, system, row, c), c);
    EXPECT_EQ(single.run(), "");
    EXPECT_EQ(single.status()[0], 0);
    return single.solution_bytes(0);
  }

  /// There how a system is rounded depends on the shape of the batch.
  [[nodiscard]] static bool on_gpu() { return GetParam().backend == tridia::backend::cuda; }
  [[nodiscard]] bool joined() const {
    const problem& p = e_->problem();
    return on_gpu() && !GetParam().factored && p.boundary == tridia::boundary::regular &&
           p.right_hand_sides == 1 && p.coefficients == tridia::coefficients::per_system &&
           (p.axis == -1 || p.axis == static_cast<int>(p.extents.size()) - 1);
  }

  void expect_solved(index_t system) {
    const long double error =
        backward_error(matrix_of(*e_, system), solution_of(*e_, system, 0), rhs_of(*e_, system, 0));
    EXPECT_LE(error, kBackwardBound * epsilon(GetParam().type)) << "system " << system;
  }

  /// All but `system` are solved, and as they are without it: alone, or in a batch without bad
  /// ones.
  void expect_neighbours_untouched(index_t system) {
    for (index_t s = 0; s < e_->where().systems(); ++s) {
      if (s == system) continue;
      EXPECT_EQ(e_->status()[static_cast<std::size_t>(s)], 0) << "system " << s;
      if (joined()) {
        expect_solved(s);
        continue;
      }
      EXPECT_TRUE(e_->solution_bytes(s) == undisturbed_[static_cast<std::size_t>(s)])
          << "system " << s << " is not bit for bit what it is without a bad one";
    }
  }

  struct change {
    role array;
    index_t row;
    wide value;
    index_t column = 0;
  };

  /// Changes numbers of one system, solves, looks at every status, and changes them back.
  /// A system that `may_be_solved` may also have the status 0 and a finite solution; the status may
  /// also be `other`.
  void expect_status(index_t system, const std::vector<change>& changes, index_t status,
                     bool may_be_solved = false, std::optional<index_t> other = {}) {
    std::vector<change> before;
    for (const change& c : changes) {
      before.push_back({c.array, c.row, e_->given(c.array, system, c.row, c.column), c.column});
      e_->set(c.array, system, c.row, c.value, c.column);
    }
    EXPECT_EQ(e_->run(), "");
    const index_t found = e_->status()[static_cast<std::size_t>(system)];
    if (may_be_solved && found == 0) {
      EXPECT_TRUE(is_finite(system)) << "system " << system;
    } else if (found != other) {
      EXPECT_EQ(found, status) << "system " << system;
    }
    expect_neighbours_untouched(system);
    for (const change& c : before) e_->set(c.array, system, c.row, c.value, c.column);
  }

  [[nodiscard]] bool is_finite(index_t system) const {
    for (index_t c = 0; c < e_->where().columns(role::x); ++c)
      for (index_t row = 0; row < e_->where().rows(system); ++row)
        if (!std::isfinite(std::abs(e_->solution(system, row, c)))) return false;
    return true;
  }

  [[nodiscard]] bool transposed() const { return GetParam().operation != operation::none; }

  /// The row of op(A), from 0, that an entry of row `row` of a coefficient array is in.
  [[nodiscard]] index_t row_of(role r, index_t row, index_t n) const {
    if (!transposed() || r == role::d || r == role::rhs) return row;
    return r == role::dl ? (row + n - 1) % n : (row + 1) % n;
  }

  /// Zeros in all of column `column` of op(A).
  [[nodiscard]] std::vector<change> zero_column(index_t column, index_t n) const {
    const bool regular = e_->problem().boundary == tridia::boundary::regular;
    const index_t below = transposed() ? column : column + 1;
    const index_t above = transposed() ? column : column - 1;
    std::vector<change> changes{{role::d, column, 0}};
    if (!regular || below % n != 0) changes.push_back({role::dl, below % n, 0});
    if (!regular || (above + n) % n != n - 1) changes.push_back({role::du, (above + n) % n, 0});
    return changes;
  }

  /// Entries of op(A) beside the diagonal, where there are any.
  void set_off_diagonals(std::vector<change>& changes, index_t row, wide sub, wide sup) const {
    const index_t n = e_->where().rows(0);
    const bool regular = e_->problem().boundary == tridia::boundary::regular;
    const index_t above = (row + n - 1) % n, below = (row + 1) % n;
    if (!regular || row > 0) {
      changes.push_back(transposed() ? change{role::du, above, sub} : change{role::dl, row, sub});
    }
    if (!regular || row < n - 1) {
      changes.push_back(transposed() ? change{role::dl, below, sup} : change{role::du, row, sup});
    }
  }

  void expect_bad_number_is_named(wide bad);

  rng random_ = random_for(::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::unique_ptr<experiment> e_;
  std::vector<std::vector<std::byte>> undisturbed_;
};

constexpr index_t kSystems[] = {0, 7, kBatch - 1};

/// A number that is not finite in one array at a time, at both ends and in the middle.
void Status::expect_bad_number_is_named(wide bad) {
  for (const shape_case& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    start(shape.p);
    const bool regular = e_->problem().boundary == tridia::boundary::regular;
    for (const index_t s : kSystems) {
      const index_t n = e_->where().rows(s);
      for (const role r : {role::dl, role::d, role::du, role::rhs})
        for (const index_t row : {index_t{0}, index_t{1}, n / 2, n - 2, n - 1}) {
          if (regular && ((r == role::dl && row == 0) || (r == role::du && row == n - 1))) continue;
          SCOPED_TRACE(name(r) + " row " + std::to_string(row));
          const index_t column = draw(random_, 0, e_->where().columns(r) - 1);
          // An infinite coefficient can leave a finite solution, as 1 / infinity is 0.
          const bool may_be_solved = r != role::rhs && std::isinf(std::abs(bad));
          expect_status(s, {{r, row, bad, column}}, -(row_of(r, row, n) + 1), may_be_solved);
          if (HasFailure()) return;
        }
    }
  }
}

TEST_P(Status, NotANumber) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  expect_bad_number_is_named(is_complex(GetParam().type) ? wide(1, nan) : wide(nan));
}

TEST_P(Status, Infinity) {
  const long double infinity = std::numeric_limits<long double>::infinity();
  expect_bad_number_is_named(is_complex(GetParam().type) ? wide(1, -infinity) : wide(infinity));
}

TEST_P(Status, ZeroColumn) {
  for (const shape_case& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    start(shape.p);
    for (const index_t s : kSystems) {
      const index_t n = e_->where().rows(s);
      for (const index_t column : {index_t{0}, index_t{1}, n / 2, n - 2, n - 1}) {
        SCOPED_TRACE("column " + std::to_string(column));
        expect_status(s, zero_column(column, n), column + 1);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(Status, LeadingZero) {
  for (const shape_case& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    start(shape.p);
    // Only an interchange can do without the first pivot.
    const bool pivots = GetParam().pivoting == pivoting::partial;
    const std::vector<change> zero{{role::d, 0, 0}, {role::dl, 1, 1}, {role::du, 0, 1}};
    expect_status(7, zero, pivots ? 0 : 1);
  }
}

TEST_P(Status, Overflow) {
  start({.extents = {kBatch, kRows}});
  const long double tiny = is_double(GetParam().type) ? 1e-300L : 1e-30L;
  std::vector<change> changes;
  for (index_t row = 0; row < kRows; ++row) {
    if (row > 0) changes.push_back({role::dl, row, 0});
    if (row < kRows - 1) changes.push_back({role::du, row, 0});
    changes.push_back({role::d, row, row == 4 ? tiny : 1});
    changes.push_back({role::rhs, row, row == 4 ? 1 / tiny : 1});
  }
  expect_status(7, changes, -5);
}

// On a GPU blocks share them, and have to agree.
TEST_P(Status, LongSystems) {
  if (GetParam().factored) GTEST_SKIP() << "factors are not shared";
  constexpr index_t n = 5000, batch = 5, s = 2;
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  const long double large = is_double(GetParam().type) ? 1e200L : 1e25L;
  // x overflows on the way back only, and then it is infinity times zero in the rows above.
  const auto overflow = [&](index_t row) {
    std::vector<change> all{
        {role::d, row, 1}, {role::rhs, row, 1}, {role::d, row + 1, 1}, {role::rhs, row + 1, large}};
    set_off_diagonals(all, row, 0, large);
    for (const index_t other : {(row + n - 1) % n, row + 1, (row + 2) % n}) {
      set_off_diagonals(all, other, 0, 0);
    }
    return all;
  };
  for (const problem& p :
       {problem{.extents = {batch, n}}, problem{.extents = {n, batch}, .axis = 0},
        problem{.extents = {batch, n}, .boundary = tridia::boundary::periodic}}) {
    start(p);
    for (const index_t row : {index_t{0}, n / 2, n - 2}) {
      SCOPED_TRACE("axis " + std::to_string(p.axis) + " row " + std::to_string(row));
      // The same numbers change each time, and those of the last run are taken for the old ones.
      expect_status(s, {{role::rhs, row, nan}}, -row - 1);
      EXPECT_EQ(e_->run(), "");
      expect_status(s, zero_column(row, n), row + 1);
      EXPECT_EQ(e_->run(), "");
      expect_status(s, overflow(row), -row - 1, false, -1);
      EXPECT_EQ(e_->run(), "");
      if (HasFailure()) return;
    }
  }
}

TEST_P(Status, TheFirstRowOfSeveralRightHandSides) {
  start({.extents = {kBatch, kRows}, .right_hand_sides = 4});
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  expect_status(3, {{role::rhs, 8, nan, 0}, {role::rhs, 5, nan, 2}, {role::rhs, 9, nan, 3}}, -6);
}

// One matrix for all: a bad right-hand side is its own system's, a bad matrix is everybody's.
TEST_P(Status, Shared) {
  for (const int axis : {0, 1})
    for (const index_t n : {kRows, 9 * kRows}) {
      problem p{.axis = axis, .coefficients = tridia::coefficients::shared};
      p.extents = axis == 0 ? std::vector{n, kBatch} : std::vector{kBatch, n};
      start(p);
      const long double nan = std::numeric_limits<long double>::quiet_NaN();
      for (const index_t s : kSystems) expect_status(s, {{role::rhs, 6, nan}}, -7);
      for (const change& c : zero_column(2, n)) e_->set(c.array, 0, c.row, c.value);
      EXPECT_EQ(e_->run(), "");
      EXPECT_EQ(e_->status(), std::vector<index_t>(kBatch, 3));
    }
}

TEST_P(Status, SmallSystems) {
  for (const tridia::boundary b : {tridia::boundary::regular, tridia::boundary::periodic}) {
    start({.extents = {kBatch, 1}, .boundary = b});
    std::vector<change> zero{{role::d, 0, 0}};
    if (b == tridia::boundary::periodic)
      zero = {{role::d, 0, 2}, {role::dl, 0, -1}, {role::du, 0, -1}};
    expect_status(5, zero, 1);
  }
  start({.extents = {kBatch, 2}, .boundary = tridia::boundary::periodic});
  // (1, 1 + 1; 1 + 3, 8): the second pivot is 8 - 4 * 2 = 0, whichever row comes first.
  expect_status(5,
                {{role::dl, 0, 1},
                 {role::d, 0, 1},
                 {role::du, 0, 1},
                 {role::dl, 1, 1},
                 {role::d, 1, 8},
                 {role::du, 1, 3}},
                2);
}

INSTANTIATE_TEST_SUITE_P(All, Status, ::testing::ValuesIn(configs()),
                         [](const auto& test) { return name(test.param); });

}  // namespace
}  // namespace tridia_test
