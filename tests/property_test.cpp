// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests check properties of random problems, of any rank, axis, order of axes, strides,
// lengths, alias, and all else.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/crash_note.hpp"
#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::problem;

template <class T>
T element(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// Returns a generator for values that need no shrinking.
rng any_rng() { return rng(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>())); }

void choose_kind(problem& p) {
  using namespace tridia;
  p.type = element({value_type::f64, value_type::f32, value_type::c64, value_type::c128});
  p.boundary = element({boundary::regular, boundary::periodic});
  p.pivoting = element({pivoting::partial, pivoting::none});
  p.operation = element({operation::none, operation::transpose, operation::conjugate_transpose});
  p.right_hand_sides = *rc::gen::inRange<index_t>(1, 4);
  p.short_off_diagonals = p.boundary == boundary::regular && element({false, true});
}

std::vector<index_t> any_strides(const std::vector<index_t>& extents, rng& random) {
  return strides(extents, random_packing(extents.size(), random));
}

/// Returns a step beyond the reach of all earlier right-hand sides, in either direction.
index_t any_step(const std::vector<index_t>& extents, const std::vector<index_t>& strides,
                 rng& random) {
  index_t reach = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    reach += std::max<index_t>(0, extents[k] - 1) * std::abs(strides[k]);
  const index_t step = reach + draw(random, 0, 3);
  return flip(random) ? step : -step;
}

void choose_sides(problem& p, rng& random) {
  if (flip(random)) {
    p.rhs_strides = any_strides(p.extents, random);
    p.rhs_step = any_step(p.extents, p.rhs_strides, random);
  }
  if (flip(random)) {
    p.x_strides = any_strides(p.extents, random);
    p.x_step = any_step(p.extents, p.x_strides, random);
  }
}

void choose_coefficients(problem& p, rng& random) {
  const auto axis =
      static_cast<std::size_t>(p.axis < 0 ? p.axis + static_cast<int>(p.extents.size()) : p.axis);
  const bool shared = p.coefficients == tridia::coefficients::shared;
  for (auto* given : {&p.dl_strides, &p.d_strides, &p.du_strides}) {
    if (flip(random)) continue;
    *given = any_strides(p.extents, random);
    for (std::size_t k = 0; k < given->size(); ++k)
      if (k != axis && (shared || draw(random, 0, 3) == 0)) (*given)[k] = 0;
  }
}

problem any_array(rng& random) {
  problem p;
  choose_kind(p);
  const auto rank = *rc::gen::inRange<std::size_t>(1, 6);
  p.extents = *rc::gen::container<std::vector<index_t>>(rank, rc::gen::inRange<index_t>(0, 7));
  const int r = static_cast<int>(rank);
  p.axis = *rc::gen::inRange(-r, r);
  const auto axis = static_cast<std::size_t>(p.axis < 0 ? p.axis + r : p.axis);
  p.extents[axis] = *rc::gen::inRange<index_t>(0, 41);
  p.coefficients = element({tridia::coefficients::per_system, tridia::coefficients::shared});
  choose_sides(p, random);
  choose_coefficients(p, random);
  return p;
}

problem any_ragged(rng& random) {
  problem p;
  choose_kind(p);
  p.offsets = {0};
  for (const index_t rows :
       *rc::gen::container<std::vector<index_t>>(rc::gen::inRange<index_t>(0, 70)))
    p.offsets.push_back(p.offsets.back() + rows);
  p.extents = {p.offsets.back()};
  choose_sides(p, random);
  choose_coefficients(p, random);
  return p;
}

problem any_problem(rng& random) {
  return element({false, false, true}) ? any_ragged(random) : any_array(random);
}

run_options any_run_options(problem& p, tridia::backend backend) {
  run_options m{.backend = backend};
  m.threads = *rc::gen::inRange(1, 4);
  m.factored = element({false, true});
  m.guard = *rc::gen::inRange<std::size_t>(0, 5);
  m.misalignment = *rc::gen::inRange<std::size_t>(0, 64);
  const role alias = element({role::x, role::rhs, role::d, role::dl, role::du});
  if (alias != role::x && allow_alias(p, alias)) m.alias = alias;
  return m;
}

problem small_condition(problem p) {
  p.pivoting = tridia::pivoting::none;  // Its matrices are diagonally dominant.
  return p;
}

void fill(experiment& e, rng& random) {
  e.fill_matrices(random);
  e.fill_rhs(random);
}

/// Returns the largest difference of two solutions in units of the type's epsilon times the largest
/// number.
long double difference(const experiment& a, const experiment& b) {
  long double error = 0, size = 1;
  for (index_t s = 0; s < a.where().systems(); ++s)
    for (index_t c = 0; c < a.where().columns(role::x); ++c)
      for (index_t row = 0; row < a.where().rows(s); ++row) {
        error = std::max(error, std::abs(a.solution(s, row, c) - b.solution(s, row, c)));
        size = std::max(size, std::abs(a.solution(s, row, c)));
      }
  return error / (size * epsilon(a.problem().type));
}

void log(const std::string& what) {
  note_for_crash(what);
  RC_LOG() << what << '\n';
}

// A diagonally dominant matrix of these tests has a condition below 40.
constexpr long double kClose = 200;

class Property : public ::testing::TestWithParam<tridia::backend> {
 protected:
  static tridia::backend backend() { return GetParam(); }
};

TEST_P(Property, AnythingIsSolved) {
  EXPECT_TRUE(rc::check("any problem is solved", [] {
    rng random = any_rng();
    problem p = any_problem(random);
    const run_options m = any_run_options(p, backend());
    log(describe(m) + "; " + describe(p));
    experiment e(p, m);
    fill(e, random);
    RC_ASSERT(e.run() == "");
    RC_ASSERT(check_solution(e, 12) == "");
    if (!m.factored) return;
    e.fill_rhs(random);
    RC_ASSERT(e.solve_again() == "");
    RC_ASSERT(check_solution(e, 12) == "");
  }));
}

TEST_P(Property, AgreesWithTheReference) {
  if (backend() == tridia::backend::reference) return;
  EXPECT_TRUE(rc::check("as the reference", [] {
    rng random = any_rng();
    problem p = small_condition(any_problem(random));
    run_options m = any_run_options(p, backend());
    log(describe(m) + "; " + describe(p));
    experiment e(p, m), reference(p, {});
    fill(e, random);
    RC_ASSERT(e.run() == "");
    copy_inputs(e, reference);
    RC_ASSERT(reference.run() == "");
    RC_ASSERT(difference(reference, e) < kClose);
  }));
}

TEST_P(Property, FactorsDoAsExecute) {
  EXPECT_TRUE(rc::check("factor and solve as execute", [] {
    rng random = any_rng();
    problem p = small_condition(any_problem(random));
    run_options m = any_run_options(p, backend());
    log(describe(m) + "; " + describe(p));
    m.factored = true;
    experiment factored(p, m);
    m.factored = false;
    experiment executed(p, m);
    fill(factored, random);
    RC_ASSERT(factored.run() == "");
    copy_inputs(factored, executed);
    RC_ASSERT(executed.run() == "");
    RC_ASSERT(difference(executed, factored) < kClose);
  }));
}

TEST_P(Property, InPlaceIsBitForBitTheSame) {
  EXPECT_TRUE(rc::check("in place as out of place", [] {
    rng random = any_rng();
    problem p = any_problem(random);
    run_options m = any_run_options(p, backend());
    if (!m.alias) {
      m.alias = role::rhs;
      allow_alias(p, role::rhs);
    }
    log(describe(m) + "; " + describe(p));
    experiment in_place(p, m);
    m.alias.reset();
    experiment apart(p, m);
    fill(in_place, random);
    RC_ASSERT(in_place.run() == "");
    copy_inputs(in_place, apart);
    RC_ASSERT(apart.run() == "");
    RC_ASSERT(in_place.status() == apart.status());
    for (index_t s = 0; s < apart.where().systems(); ++s)
      RC_ASSERT(in_place.solution_bytes(s) == apart.solution_bytes(s));
  }));
}

TEST_P(Property, SystemsFailByThemselves) {
  EXPECT_TRUE(rc::check("x of systems that fail is NaN, and others stay as they are", [] {
    rng random = any_rng();
    problem p = any_problem(random);
    run_options m = any_run_options(p, backend());
    m.status = element({false, true});
    log(describe(m) + "; " + describe(p));
    experiment good(p, m), some_fail(p, m);
    fill(good, random);
    RC_ASSERT(good.run() == "");
    copy_inputs(good, some_fail);
    make_some_fail(some_fail, random);
    RC_ASSERT(some_fail.run() == "");
    RC_ASSERT(check_solution(some_fail, 0) == "");
    RC_ASSERT(check_failures(some_fail, good) == "");
    if (!m.factored) return;
    // Matrices that are singular stay so; right-hand sides are all finite again.
    good.fill_rhs(random);
    RC_ASSERT(good.solve_again() == "");
    copy_array(role::rhs, good, some_fail);
    RC_ASSERT(some_fail.solve_again() == "");
    RC_ASSERT(check_solution(some_fail, 0) == "");
    RC_ASSERT(check_failures(some_fail, good) == "");
  }));
}

TEST_P(Property, SolvingIsLinear) {
  EXPECT_TRUE(rc::check("x(b + s c) = x(b) + s x(c)", [] {
    rng random = any_rng();
    problem p = small_condition(any_problem(random));
    p.right_hand_sides = 3;
    const run_options m{.backend = backend()};
    log(describe(p));
    experiment e(p, m);
    fill(e, random);
    e.give();
    const wide factor = draw_number(random, p.type);
    const auto each_row = [&](auto f) {
      for (index_t s = 0; s < e.where().systems(); ++s)
        for (index_t row = 0; row < e.where().rows(s); ++row) f(s, row);
    };
    each_row([&](index_t s, index_t row) {
      e.set(role::rhs, s, row,
            e.given(role::rhs, s, row, 0) + factor * e.given(role::rhs, s, row, 1), 2);
    });
    RC_ASSERT(e.run() == "");
    each_row([&](index_t s, index_t row) {
      const wide sum = e.solution(s, row, 0) + factor * e.solution(s, row, 1);
      RC_ASSERT(std::abs(sum - e.solution(s, row, 2)) < 10 * kClose * epsilon(p.type));
    });
  }));
}

/// The identity is (A^-1 b, c) = (b, A^-H c), with the plain transpose for operation transpose.
TEST_P(Property, TheTransposeIsTheAdjoint) {
  EXPECT_TRUE(rc::check("(A^-1 b, c) = (b, A^-T c)", [] {
    rng random = any_rng();
    problem p = small_condition(any_problem(random));
    const bool conjugate = p.operation == tridia::operation::conjugate_transpose;
    p.right_hand_sides = 1;
    p.operation = tridia::operation::none;
    problem adjoint = p;
    adjoint.operation =
        conjugate ? tridia::operation::conjugate_transpose : tridia::operation::transpose;
    log(describe(adjoint));
    experiment e(p, {.backend = backend()}), t(adjoint, {.backend = backend()});
    fill(e, random);
    RC_ASSERT(e.run() == "");
    copy_inputs(e, t);
    t.fill_rhs(random);
    RC_ASSERT(t.run() == "");
    for (index_t s = 0; s < e.where().systems(); ++s) {
      wide left = 0, right = 0;
      for (index_t row = 0; row < e.where().rows(s); ++row) {
        const auto other = [&](wide z) { return conjugate ? std::conj(z) : z; };
        left += e.solution(s, row) * other(t.given(role::rhs, s, row));
        right += e.given(role::rhs, s, row) * other(t.solution(s, row));
      }
      const auto n = static_cast<long double>(e.where().rows(s));
      RC_ASSERT(std::abs(left - right) <= 10 * kClose * n * epsilon(p.type));
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(All, Property, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });

}  // namespace
}  // namespace tridia_test
