// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// One matrix in arrays that a CPU factors in its type, and solves with for many contiguous lines by
// the sweeps of operators: the table that these take, and their solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dispatch.hpp"
#include "layout/row_values.hpp"
#include "solver/cpu/line_operator/shared_substitution.hpp"
#include "solver/cpu/line_operator/substitution_table.hpp"
#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
#include "support/oracle.hpp"
#include "support/scalar.hpp"
#include "support/task.hpp"
#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::backend;
using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

constexpr value_type kReal[] = {value_type::f32, value_type::f64};
constexpr boundary kBoundaries[] = {boundary::regular, boundary::periodic};
constexpr pivoting kPivotings[] = {pivoting::none, pivoting::partial};

// ---- the table ----

struct matrix_rows {
  std::vector<tridia::core::row<double>> rows;
  void fetch(index_t, index_t) {}
  const tridia::core::row<double>& get(index_t k) const {
    return rows[static_cast<std::size_t>(k)];
  }
};

matrix_rows dominant_rows(index_t n, boundary b, rng& random) {
  std::uniform_real_distribution<double> part(-0.25, 0.25);
  matrix_rows a;
  for (index_t k = 0; k < n; ++k) a.rows.push_back({part(random), 1 + part(random), part(random)});
  if (b == boundary::regular) a.rows.front().sub = a.rows.back().sup = 0;
  return a;
}

/// Makes pivoting interchange a row: with the last one of a periodic matrix if it is the first, or
/// else with the next one. No other row is interchanged.
void interchange(matrix_rows& a, index_t row, boundary b) {
  auto* const at = a.rows.data() + row;
  at[0] = {row == 0 ? at[0].sub : 0, 0.01, 0.9};
  at[1].sub = 1.5;
  if (b == boundary::periodic) a.rows.back().sup = row == 0 ? 0.5 : 0.001;
}

/// Holds the numbers of a matrix of f64, or says that it has none.
struct table {
  bool made = false;
  std::vector<tridia::line_operator::cpu::row_numbers<double>> rows{};
};

table table_of(matrix_rows a, pivoting p, boundary b) {
  const auto n = static_cast<index_t>(a.rows.size());
  return tridia::core::with_variant(p, b, [&](auto variant) {
    using V = decltype(variant);
    using E = tridia::core::elimination<double, V::pivots, V::boundary_kind>;
    constexpr index_t values = E::lower_values + E::upper_values;
    std::vector<double> memory(static_cast<std::size_t>(n * values));
    tridia::layout::factor_rows<double, E> factors{{memory.data(), values, 1}};
    EXPECT_TRUE((tridia::core::factor_line<double, E>(n, {n, n}, a, factors)));
    table t;
    t.rows.resize(static_cast<std::size_t>(n));
    const tridia::cpu::substitution_table<double, V::pivots, V::boundary_kind> made(
        memory.data(), n, t.rows.data());
    t.made = made.make();
    return t;
  });
}

/// Solves as line_factors.hpp says.
std::vector<double> solve(const table& t, boundary b, std::vector<double> x) {
  const std::size_t n = x.size(), eliminated = b == boundary::periodic ? n - 1 : n;
  double last = 0;
  if (b == boundary::periodic) {
    for (std::size_t i = 0; i < eliminated; ++i) last += t.rows[i].border * x[i];
    last = t.rows[n - 1].pivot * (x[n - 1] - last);
  }
  for (std::size_t i = 1; i < eliminated; ++i) {
    if (t.rows[i].swapped) std::swap(x[i], x[i - 1]);
    x[i] -= t.rows[i].below * x[i - 1];
  }
  double x1 = 0, x2 = 0;
  for (std::size_t i = eliminated; i-- > 0;) {
    const auto& r = t.rows[i];
    const double next = r.pivot * x[i] - r.next * x1 - r.fill * x2;
    x2 = x1, x1 = next;
    x[i] = next - r.column * last;
  }
  if (b == boundary::periodic) x.back() = last;
  return x;
}

double largest_residual(const matrix_rows& a, const std::vector<double>& x,
                        const std::vector<double>& rhs) {
  double largest = 0;
  for (std::size_t k = 0, n = x.size(); k < n; ++k) {
    const auto& r = a.rows[k];
    const double left = r.sub * x[(k + n - 1) % n] + r.diag * x[k] + r.sup * x[(k + 1) % n];
    largest = std::max(largest, std::fabs(left - rhs[k]));
  }
  return largest;
}

std::vector<double> random_sides(index_t n, rng& random) {
  std::uniform_real_distribution<double> part(-1, 1);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (double& v : b) v = part(random);
  return b;
}

TEST(SubstitutionTable, SolvesWithAnyMatrixOfFewInterchanges) {
  rng random = random_for("SubstitutionTable");
  for (const boundary b : kBoundaries)
    for (const pivoting p : kPivotings)
      for (const index_t n : {3, 4, 5, 6, 8, 9, 33}) {
        for (index_t row = -1; row < (p == pivoting::partial ? n - 1 : 0); ++row) {
          matrix_rows a = dominant_rows(n, b, random);
          if (row >= 0) interchange(a, row, b);
          const table t = table_of(a, p, b);
          const bool with_last = b == boundary::periodic && (row == 0 || row == n - 2);
          ASSERT_EQ(t.made, row < 0 || (n >= 8 && !with_last)) << n << ' ' << row;
          if (!t.made) continue;
          const std::vector<double> rhs = random_sides(n, random);
          ASSERT_LT(largest_residual(a, solve(t, b, rhs), rhs), 1e-13) << n << ' ' << row;
        }
      }
}

// All that is kept of the last row and column goes on from row to row, and grows.
TEST(SubstitutionTable, IsNotMadeWhereTheBorderGrows) {
  for (const pivoting p : kPivotings) {
    const matrix_rows column{{40, {0.3, 1, 2}}}, border{{40, {2, 1, 0.3}}};
    EXPECT_FALSE(table_of(column, p, boundary::periodic).made);
    EXPECT_FALSE(table_of(border, p, boundary::periodic).made);
  }
}

// ---- solutions ----

problem shared(value_type type, index_t lines, index_t n, pivoting pivots, boundary b) {
  return {.type = type,
          .extents = {lines, n},
          .boundary = b,
          .pivoting = pivots,
          .coefficients = tridia::coefficients::shared};
}

run_options on_cpu(int threads, bool in_place, bool factored) {
  run_options m{.backend = backend::cpu, .threads = threads, .factored = factored};
  if (in_place) m.alias = role::rhs;
  return m;
}

experiment filled(const problem& p, const run_options& m, rng& random) {
  experiment e(p, m);
  e.fill_matrices(random);
  e.fill_rhs(random);
  return e;
}

/// Makes the matrix dominant, but for a row that pivoting interchanges with the next one alone.
void interchange_one(experiment& e, index_t row) {
  const index_t n = e.where().rows(0);
  for (index_t k = 0; k < n; ++k) {
    e.set(role::dl, 0, k, 0.25L), e.set(role::d, 0, k, 1), e.set(role::du, 0, k, 0.2L);
  }
  e.set(role::d, 0, row, 0.01L), e.set(role::du, 0, row, 0.9L);
  e.set(role::dl, 0, (row + 1) % n, 1.5L);
}

bool takes(const problem& p) {
  return tridia::cpu::make_shared_substitution(task_of(p)) != nullptr;
}

/// Says of which lines some number and more are worth a table, and the fewest rows of these.
struct line_case {
  value_type type;
  tridia::boundary boundary;
  index_t lines, rows;
};
constexpr line_case kCases[] = {{value_type::f32, boundary::regular, 32, 32},
                                {value_type::f32, boundary::periodic, 128, 32},
                                {value_type::f64, boundary::periodic, 128, 256}};

TEST(SharedSubstitution, TakesManyContiguousLines) {
  for (const auto& [type, b, lines, rows] : kCases) {
    problem p = shared(type, lines, rows, pivoting::none, b);
    EXPECT_TRUE(takes(p));
    p.operation = operation::transpose;
    EXPECT_TRUE(takes(p));
    EXPECT_FALSE(takes(shared(type, lines - 1, rows, pivoting::none, b)));
    EXPECT_FALSE(takes(shared(type, lines, rows - 1, pivoting::none, b)));
    EXPECT_FALSE(takes(shared(type, lines, 2049, pivoting::none, b)));
    problem sides = shared(type, lines / 4, rows, pivoting::partial, b);
    sides.right_hand_sides = 4;
    EXPECT_TRUE(takes(sides));
    sides.extents = {rows}, sides.right_hand_sides = lines;
    sides.coefficients = tridia::coefficients::per_system;
    EXPECT_TRUE(takes(sides));
    sides.type = value_type::c64;
    EXPECT_FALSE(takes(sides));
  }
  EXPECT_FALSE(takes(shared(value_type::f64, 1000, 1000, pivoting::none, boundary::regular)));
}

/// Solves with a random matrix, and with dominant ones of which pivoting interchanges a row.
void solve_many(problem p, rng& random) {
  const index_t n = p.extents[1];
  p.operation = flip(random) ? operation::transpose : operation::none;
  const run_options m = on_cpu(2, flip(random), flip(random));
  experiment e = filled(p, m, random);
  ASSERT_EQ(e.run(), "");
  ASSERT_EQ(check_solution(e, 0), "") << describe(p);
  for (const index_t row : {index_t{0}, index_t{1}, n / 2, n - 4, n - 3, n - 2, n - 1}) {
    if (row < 0 || n > 257 || p.pivoting == pivoting::none) continue;
    experiment one = filled(p, m, random);
    interchange_one(one, row);
    ASSERT_EQ(one.run(), "");
    ASSERT_EQ(check_solution(one, 0), "") << describe(p) << ' ' << row;
  }
}

TEST(SharedSubstitution, SolvesAnyMatrix) {
  rng random = random_for("SharedSubstitutionMatrices");
  for (const line_case& c : kCases)
    for (const index_t n : {3, 4, 31, 32, 33, 65, 100, 256, 257, 2048})
      for (const index_t more : {-1, 0, 38}) {
        if (n > 32 && more != 0) continue;
        for (const pivoting pivots : kPivotings) {
          solve_many(shared(c.type, c.lines + more, n, pivots, c.boundary), random);
          if (HasFatalFailure()) return;
        }
      }
}

// Pivoting interchanges the last row of these with others, or most rows with the next one.
TEST(SharedSubstitution, LeavesHardMatricesToElimination) {
  rng random = random_for("SharedSubstitutionHard");
  for (const tridia::core::row<double> r :
       {tridia::core::row<double>{0.3, 1, 2}, {2, 1, 0.3}, {1, 0.3, 1.1}}) {
    experiment e = filled(shared(value_type::f32, 140, 100, pivoting::partial, boundary::periodic),
                          on_cpu(1, false, false), random);
    for (index_t k = 0; k < 100; ++k) {
      e.set(role::dl, 0, k, r.sub), e.set(role::d, 0, k, r.diag), e.set(role::du, 0, k, r.sup);
    }
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(check_solution(e, 0), "");
  }
}

TEST(SharedSubstitution, AgreesWithTheReference) {
  rng random = random_for("SharedSubstitutionReference");
  const auto agrees = [&](const problem& p) {
    twin t(p, on_cpu(2, flip(random), flip(random)));
    t.fill(random);
    ASSERT_EQ(t.run(), "") << describe(p);
  };
  for (const value_type type : kReal)
    for (const boundary b : kBoundaries)
      for (const operation o : {operation::none, operation::transpose})
        for (const index_t n : {32, 33, 65, 300, 1001}) {
          problem p = shared(type, 131, n, pivoting::none, b);
          p.operation = o;
          agrees(p);
          // Right-hand sides of one matrix of its own, some of whose rows pivoting interchanges.
          p.coefficients = tridia::coefficients::per_system;
          p.extents = {n}, p.right_hand_sides = 131;
          p.pivoting = pivoting::partial;
          agrees(p);
          if (HasFatalFailure()) return;
        }
}

TEST(SharedSubstitution, DoesNotDependOnThreads) {
  rng random = random_for("SharedSubstitutionThreads");
  for (const boundary b : kBoundaries) {
    const problem p = shared(value_type::f32, 133, 300, pivoting::none, b);
    experiment one = filled(p, on_cpu(1, false, false), random);
    EXPECT_EQ(one.run(), "");
    for (const bool factored : {false, true}) {
      experiment other(p, on_cpu(3, false, factored));
      copy_inputs(one, other);
      EXPECT_EQ(other.run(), "");
      for (index_t s = 0; s < 133; ++s) ASSERT_EQ(one.solution_bytes(s), other.solution_bytes(s));
    }
  }
}

/// Expects that line 7 alone is NaN and has the status of row `row`.
void expect_failure(const experiment& bad, const experiment& good, index_t row) {
  ASSERT_EQ(check_all_nan(bad, 7), "");
  for (index_t s = 0; s < good.where().systems(); ++s) {
    ASSERT_EQ(bad.status()[static_cast<std::size_t>(s)], s == 7 ? -row - 1 : 0) << row;
    if (s != 7) {
      ASSERT_EQ(bad.solution_bytes(s), good.solution_bytes(s));
    }
  }
}

void spoil(const problem& p, const run_options& m, index_t row, rng& random) {
  const index_t lines = p.extents[0], n = p.extents[1];
  experiment good = filled(p, m, random), bad(p, m);
  interchange_one(good, n / 3);
  ASSERT_EQ(good.run(), "");
  copy_inputs(good, bad);
  bad.start_from(1234);
  bad.set(role::rhs, 7, row, std::numeric_limits<long double>::quiet_NaN(), p.right_hand_sides - 1);
  ASSERT_EQ(bad.run(), "");
  expect_failure(bad, good, row);
  copy_inputs(good, bad);
  for (const entry& e : column_of(p, n, row)) bad.set(e.array, 0, e.row, 0);
  ASSERT_EQ(bad.run(), "");
  ASSERT_EQ(bad.status(), std::vector<index_t>(static_cast<std::size_t>(lines), row + 1));
  for (index_t s = 0; s < lines; ++s) ASSERT_EQ(check_all_nan(bad, s), "");
}

TEST(SharedSubstitution, NamesWhatFails) {
  rng random = random_for("SharedSubstitutionFailures");
  for (const boundary b : kBoundaries)
    for (const index_t n : {32, 300})
      for (const index_t columns : {1, 2})
        for (const bool factored : {false, true})
          for (const index_t row : {index_t{0}, draw(random, 0, n - 1), n - 2, n - 1}) {
            problem p = shared(value_type::f32, 130, n,
                               flip(random) ? pivoting::partial : pivoting::none, b);
            p.right_hand_sides = columns;
            spoil(p, on_cpu(2, flip(random), factored), row, random);
            if (HasFatalFailure()) return;
          }
}

TEST(SharedSubstitution, TellsOfOverflow) {
  rng random = random_for("SharedSubstitutionOverflow");
  for (const boundary b : kBoundaries)
    for (const bool in_place : {false, true})
      for (const index_t row : {0, 30, 98, 99}) {
        const problem p = shared(value_type::f32, 130, 100, pivoting::none, b);
        experiment good = filled(p, on_cpu(2, in_place, false), random),
                   bad(p, on_cpu(2, in_place, false));
        for (index_t k = 0; k < 100; ++k) {
          good.set(role::dl, 0, k, 0), good.set(role::d, 0, k, 1e-30L), good.set(role::du, 0, k, 0);
        }
        ASSERT_EQ(good.run(), "");
        copy_inputs(good, bad);
        bad.start_from(1234);
        bad.set(role::rhs, 7, row, 1e30L);
        ASSERT_EQ(bad.run(), "");
        expect_failure(bad, good, row);
      }
}

}  // namespace
}  // namespace tridia_test
