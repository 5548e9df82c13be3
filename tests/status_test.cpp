// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// A system without a finite solution: its status names the row, its x is NaN throughout, and its
// neighbours are bit for bit what they are alone (unless they round by their company); all of that
// also where no status is asked for.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "layout/line_status.hpp"
#include "layout/resolve.hpp"
#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
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
  // There are enough right-hand sides to be solved side by side with the factors of one matrix.
  add("many_rhs", {.extents = {kBatch, kRows}, .right_hand_sides = 33});
  problem ragged{.extents = {0}, .offsets = {0}};
  for (index_t s = 0; s < kBatch; ++s) ragged.offsets.push_back(ragged.offsets.back() + kRows + s);
  ragged.extents[0] = ragged.offsets.back();
  add("ragged", ragged);
  return all;
}

// Right-hand sides that share no status enter it themselves; if some share one, statuses are zeros
// beforehand.
TEST(LineStatus, IsSharedAmongRightHandSides) {
  const auto shared = [](problem p, tridia::coefficients c) {
    p.coefficients = c;
    return tridia::layout::shares_status(
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
  tridia::layout::enter_line_status(&status, false, 0);
  EXPECT_EQ(status, 0);
  tridia::layout::enter_line_status(&status, false, -5);
  EXPECT_EQ(status, -5);
  tridia::layout::enter_line_status(&status, true, 0);
  EXPECT_EQ(status, -5);
  tridia::layout::enter_line_status(&status, true, -7);
  EXPECT_EQ(status, -5);
  tridia::layout::enter_line_status(&status, true, -3);
  EXPECT_EQ(status, -3);
}

// Every right-hand side of a matrix belongs to one system, with others that have the same status.
TEST(LineStatus, RightHandSidesOfASystemAreFound) {
  const auto check = [](problem p, index_t systems) {
    const auto g = tridia::layout::make_geometry(p, tridia::layout::resolve(p));
    const auto status_of = [&](index_t side) {
      index_t at[tridia::layout::array_count];
      g.right_sides.offsets(side, at);
      return at[tridia::layout::status];
    };
    ASSERT_EQ(tridia::layout::systems_of_matrix(g), systems);
    std::vector<int> met(static_cast<std::size_t>(g.right_sides.size));
    for (index_t s = 0; s < systems; ++s) {
      const tridia::layout::sharing_right_sides sides(g, s);
      ASSERT_EQ(sides.count, p.right_hand_sides);
      for (index_t r = 0; r < sides.count; ++r) {
        ++met.at(static_cast<std::size_t>(sides.at(r)));
        EXPECT_EQ(status_of(sides.at(r)), status_of(sides.at(0)));
      }
    }
    EXPECT_EQ(met, std::vector<int>(met.size(), 1));
  };
  const auto shared = tridia::coefficients::shared;
  for (const index_t columns : {1, 2, 3}) {
    check({.extents = {5, 7}, .right_hand_sides = columns}, 1);
    check({.extents = {3, 5, 7}, .right_hand_sides = columns, .coefficients = shared}, 15);
    check({.extents = {3, 7, 5}, .axis = 1, .right_hand_sides = columns, .coefficients = shared},
          15);
    // The right-hand sides are the fastest axis, or lie between two others.
    for (const index_t step : {index_t{1}, index_t{35}}) {
      problem p{.extents = {3, 5, 7}, .right_hand_sides = columns, .coefficients = shared};
      p.rhs_strides = p.x_strides = step == 1 ? std::vector{35 * columns, 7 * columns, columns}
                                              : std::vector{35 * columns, index_t{7}, index_t{1}};
      p.rhs_step = p.x_step = step;
      check(p, 15);
    }
    check({.extents = {7}, .right_hand_sides = columns, .offsets = {0, 3, 7}}, 1);
  }
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

/// Returns one system of a problem as a separate problem, in the same layout.
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
  [[nodiscard]] run_options how() const {
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
    e_->start_from(1234);  // what is not stored from now on is no NaN
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

  void expect_solved(index_t system) const {
    const long double error =
        backward_error(matrix_of(*e_, system), solution_of(*e_, system, 0), rhs_of(*e_, system, 0));
    EXPECT_LE(error, kBackwardBound * epsilon(GetParam().type)) << "system " << system;
  }

  /// Checks that all systems except `count` from `system` on are solved, with the same x as without
  /// those: alone, or in a batch without bad ones.
  void expect_neighbours_untouched(index_t system, index_t count = 1) const {
    for (index_t s = 0; s < e_->where().systems(); ++s) {
      if (s >= system && s < system + count) continue;
      if (!e_->status().empty()) {
        EXPECT_EQ(e_->status()[static_cast<std::size_t>(s)], 0) << "system " << s;
      }
      if (rounds_by_company(e_->plan())) {
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

  /// Changes numbers of one system, solves with statuses and without, looks at all of them and at
  /// x, and changes the numbers back. A system that `may_be_solved` may also have the status 0 and
  /// a finite solution; the status may also be `other`.
  void expect_status(index_t system, const std::vector<change>& changes, index_t status,
                     bool may_be_solved = false, std::optional<index_t> other = {}) {
    std::vector<change> before;
    for (const change& c : changes) {
      before.push_back({c.array, c.row, e_->given(c.array, system, c.row, c.column), c.column});
      e_->set(c.array, system, c.row, c.value, c.column);
    }
    EXPECT_EQ(e_->run(), "");
    const index_t found = e_->status()[static_cast<std::size_t>(system)];
    if (found != other && !(may_be_solved && found == 0)) {
      EXPECT_EQ(found, status) << "system " << system;
    }
    expect_to_stand_alone(system, found != 0);
    e_->ask_for_statuses(false);
    EXPECT_EQ(e_->run(), "");
    expect_to_stand_alone(system, found != 0);
    e_->ask_for_statuses(true);
    for (const change& c : before) e_->set(c.array, system, c.row, c.value, c.column);
  }

  void expect_to_stand_alone(index_t system, bool failed) const {
    if (failed) {
      EXPECT_EQ(check_all_nan(*e_, system), "") << "system " << system;
    } else {
      EXPECT_TRUE(is_finite(system)) << "system " << system;
    }
    expect_neighbours_untouched(system);
  }

  /// Makes the matrix singular that `count` systems from `system` on share, and checks that they
  /// fail.
  void expect_all_fail(index_t system, index_t count) {
    constexpr index_t column = 2;
    for (const change& c : zero_column(column, e_->where().rows(system)))
      e_->set(c.array, system, c.row, c.value);
    for (const bool ask : {true, false}) {
      e_->ask_for_statuses(ask);
      EXPECT_EQ(e_->run(), "");
      for (index_t s = system; s < system + count; ++s) {
        EXPECT_EQ(check_all_nan(*e_, s), "") << "system " << s;
        if (!ask) continue;
        EXPECT_EQ(e_->status()[static_cast<std::size_t>(s)], column + 1);
      }
      expect_neighbours_untouched(system, count);
    }
  }

  [[nodiscard]] bool is_finite(index_t system) const {
    for (index_t c = 0; c < e_->where().columns(role::x); ++c)
      for (index_t row = 0; row < e_->where().rows(system); ++row)
        if (!std::isfinite(std::abs(e_->solution(system, row, c)))) return false;
    return true;
  }

  [[nodiscard]] bool transposed() const { return GetParam().operation != operation::none; }

  /// Returns the row of op(A), from 0, that an entry of row `row` of a coefficient array is in.
  [[nodiscard]] index_t row_of(role r, index_t row, index_t n) const {
    if (!transposed() || r == role::d || r == role::rhs) return row;
    return r == role::dl ? (row + n - 1) % n : (row + 1) % n;
  }

  /// Returns changes that set column `column` of op(A) to zeros.
  [[nodiscard]] std::vector<change> zero_column(index_t column, index_t n) const {
    std::vector<change> changes;
    for (const entry& at : column_of(e_->problem(), n, column))
      changes.push_back({at.array, at.row, 0});
    return changes;
  }

  /// Sets the entries of op(A) beside the diagonal, where there are any.
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

/// Puts a number that is not finite into one array at a time, at both ends and in the middle of a
/// system.
void Status::expect_bad_number_is_named(wide bad) {
  for (const shape_case& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    start(shape.p);
    const bool regular = e_->problem().boundary == tridia::boundary::regular;
    for (const role r : {role::dl, role::d, role::du, role::rhs})
      for (std::size_t place = 0; place < 5; ++place) {
        const index_t s = kSystems[draw(random_, 0, std::ssize(kSystems) - 1)];
        const index_t n = e_->where().rows(s), rows[] = {0, 1, n / 2, n - 2, n - 1};
        const index_t row = rows[place];
        if (regular && ((r == role::dl && row == 0) || (r == role::du && row == n - 1))) continue;
        SCOPED_TRACE(name(r) + " row " + std::to_string(row) + " of system " + std::to_string(s));
        const index_t column = draw(random_, 0, e_->where().columns(r) - 1);
        // An infinite coefficient can leave a finite solution, as 1 / infinity is 0.
        const bool may_be_solved = r != role::rhs && std::isinf(std::abs(bad));
        expect_status(s, {{r, row, bad, column}}, -(row_of(r, row, n) + 1), may_be_solved);
        if (HasFailure()) return;
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

// On a GPU, blocks share these systems, and have to agree.
TEST_P(Status, LongSystems) {
  if (GetParam().factored) GTEST_SKIP() << "factors are not shared";
  constexpr index_t n = 5000, batch = 5, s = 2;
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  const long double large = is_double(GetParam().type) ? 1e200L : 1e25L;
  // x overflows in the back substitution only, and then infinity times zero appears in the rows
  // above.
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
      // The same numbers change each time; those of the last run become the old ones.
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

// There is one matrix for all: a bad right-hand side affects its own system, a bad matrix affects
// all.
TEST_P(Status, Shared) {
  for (const int axis : {0, 1})
    for (const index_t n : {kRows, 9 * kRows})
      for (const index_t columns : {1, 3}) {
        problem p{.axis = axis,
                  .right_hand_sides = columns,
                  .coefficients = tridia::coefficients::shared};
        p.extents = axis == 0 ? std::vector{n, kBatch} : std::vector{kBatch, n};
        start(p);
        const long double nan = std::numeric_limits<long double>::quiet_NaN();
        for (const index_t s : kSystems) expect_status(s, {{role::rhs, 6, nan, columns - 1}}, -7);
        expect_all_fail(0, kBatch);
      }
}

// Systems along an axis have one matrix, and each its own right-hand sides and status.
TEST_P(Status, Broadcast) {
  constexpr index_t along = 5;
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (const index_t columns : {1, 3}) {
    problem p{.extents = {3, along, kRows}, .right_hand_sides = columns};
    p.dl_strides = p.d_strides = p.du_strides = {kRows, 0, 1};
    start(p);
    for (const index_t s : {2, 7, 14}) expect_status(s, {{role::rhs, 6, nan, columns / 2}}, -7);
    expect_all_fail(along, along);
  }
}

// The right-hand side is finite, and the solution is not.
TEST_P(Status, OverflowOfConstants) {
  if (GetParam().factored) GTEST_SKIP() << "the plan holds the factors";
  const double tiny = is_double(GetParam().type) ? 1e-300 : 1e-30;
  for (const int axis : {0, 1})
    for (const index_t columns : {1, 3}) {
      problem p{.axis = axis,
                .right_hand_sides = columns,
                .coefficients = tridia::coefficients::constant,
                .matrix = {.interior = {0, tiny, 0}}};
      p.extents = axis == 0 ? std::vector{kRows, kBatch} : std::vector{kBatch, kRows};
      start(p);
      for (const index_t s : kSystems)
        expect_status(s, {{role::rhs, 4, 1 / tiny, columns - 1}}, -5, false, -1);
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
  // The matrix is (1, 1 + 1; 1 + 3, 8): the second pivot is 8 - 4 * 2 = 0, whichever row comes
  // first.
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
