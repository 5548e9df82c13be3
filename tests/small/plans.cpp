// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "small/plans.hpp"

#include <algorithm>
#include <limits>

#include "support/device_memory.hpp"
#include "support/oracle.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::pivoting;

/// Up to this size, a solution is also compared with that of a dense copy.
constexpr index_t kDenseRows = 17;

void fill(experiment& e, const small_case& c, rng& random) {
  e.fill_matrices(random);
  e.fill_rhs(random);
  if (!c.dominant) return;
  const bool shared = e.problem().coefficients == coefficients::shared;
  const index_t matrices = shared ? 1 : e.where().systems();
  for (index_t s = 0; s < matrices; ++s)
    for (index_t k = 0; k < e.where().rows(s); ++k)
      e.set(role::d, s, k, 2.0L * draw_dominant(random, e.problem().type));
}

/// Sets a right-hand side to NaN, so that the system has no solution.
void spoil_rhs(experiment& e, index_t system, std::vector<index_t>& status) {
  const index_t row = e.where().rows(system) / 2;
  e.set(role::rhs, system, row, std::numeric_limits<long double>::quiet_NaN());
  status[static_cast<std::size_t>(system)] = -(row + 1);
}

/// Makes a system fail by a column of zeros, which elimination finds last.
void spoil_matrix(experiment& e, index_t system, std::vector<index_t>& status) {
  const index_t column = e.where().rows(system) / 3;
  e.set(role::d, system, column, 0);
  e.set(role::dl, system, column + 1, 0);
  e.set(role::du, system, column - 1, 0);
  status[static_cast<std::size_t>(system)] = column + 1;
}

/// Returns whether a column can be made zero without leaving the matrix's own entries.
bool has_own_matrix(const experiment& e, index_t system) {
  const tridia::problem& p = e.problem();
  return p.coefficients == coefficients::per_system && p.operation == tridia::operation::none &&
         e.where().rows(system) >= 6;
}

/// Checks that all systems except those with a status are solved, and that x of these is NaN.
void expect_x(const experiment& e, const std::vector<index_t>& status) {
  const bool constant = e.problem().coefficients == coefficients::constant;
  for (index_t s = 0; s < e.where().systems(); ++s) {
    if (status[static_cast<std::size_t>(s)] == 0) {
      ASSERT_LE(backward_error(matrix_of(e, s), solution_of(e, s, 0), rhs_of(e, s, 0)),
                kBackwardBound * epsilon(e.problem().type))
          << "system " << s;
    } else if (!constant) {
      ASSERT_EQ(check_all_nan(e, s), "") << "system " << s;
    }
  }
}

/// Checks bad systems with statuses and without.
void expect_bad_systems_alone(const small_case& c, experiment& e, rng& random) {
  const index_t systems = e.where().systems();
  if (systems < 3 || e.where().rows(0) == 0) return;
  fill(e, c, random);
  e.start_from(1234);  // what is not stored is no NaN
  std::vector<index_t> expected(static_cast<std::size_t>(systems));
  spoil_rhs(e, 0, expected);
  if (has_own_matrix(e, systems - 1)) spoil_matrix(e, systems - 1, expected);
  e.ask_for_statuses(true);
  ASSERT_EQ(e.run(), "");
  ASSERT_EQ(e.status(), expected);
  expect_x(e, expected);
  e.ask_for_statuses(false);
  ASSERT_EQ(e.run(), "");
  expect_x(e, expected);
}

}  // namespace

std::string label(const small_case& c) {
  const tridia::problem& p = c.problem;
  std::string text = c.name;
  for (const auto part : {name(p.type), name(p.pivoting), name(p.boundary)})
    text += '_' + std::string(part);
  return text;
}

void PrintTo(const small_case& c, std::ostream* out) { *out << label(c); }

void add_variants(std::vector<small_case>& all, const small_case& c, const variants& of) {
  for (const auto type : of.types)
    for (const auto pivots : of.pivotings)
      for (const auto ends : of.boundaries) {
        if (!c.problem.offsets.empty() && ends == boundary::periodic) continue;
        small_case one = c;
        one.problem.type = type, one.problem.pivoting = pivots, one.problem.boundary = ends;
        all.push_back(one);
      }
}

void expect_small_case(const small_case& c) {
  const stream_handle stream = make_stream();
  run_options how = c.how;
  how.backend = tridia::backend::cuda;
  how.stream = stream.get();
  how.guard = 0;  // what is beyond an array's end is beyond its memory's
  experiment e(c.problem, how);
  SCOPED_TRACE(describe(how) + "; " + describe(c.problem) + "; " + e.plan().reason());
  if (have_clusters()) {
    EXPECT_NE(e.plan().reason().find(c.reason), std::string::npos) << c.reason;
  }
  rng random = random_for(label(c));
  fill(e, c, random);
  ASSERT_EQ(e.run(), "");
  ASSERT_EQ(check_solution(e, kDenseRows), "");
  expect_kernels(stream.get(), c.kernels, [&] { e.enqueue(); });
  if (how.factored) {
    e.fill_rhs(random);
    ASSERT_EQ(e.solve_again(), "");
    ASSERT_EQ(check_solution(e, 0), "");
  }
  expect_bad_systems_alone(c, e, random);
}

std::vector<small_case> on_gpu(std::vector<small_case> (*cases)()) {
  return have_gpu() ? cases() : std::vector<small_case>{};
}

std::string case_name(const ::testing::TestParamInfo<small_case>& info) {
  return label(info.param);
}

}  // namespace tridia_test
