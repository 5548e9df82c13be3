// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// The gradients of a solve, on every backend: against products of the gradient of rhs and x in wide
// arithmetic, and against the derivative itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/backward_experiment.hpp"
#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::backward_layout;
using tridia::boundary;
using tridia::coefficients;
using tridia::cotangents;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

constexpr operation kOperations[] = {operation::none, operation::transpose,
                                     operation::conjugate_transpose};
constexpr cotangents kConventions[] = {cotangents::linear, cotangents::conjugate};
constexpr boundary kBoundaries[] = {boundary::regular, boundary::periodic};

std::string describe(const problem& p, cotangents convention) {
  return tridia_test::describe(p) + (convention == cotangents::linear ? " linear" : " conjugate");
}

/// Gives a problem of constants its matrix, dominant and different at its ends.
void set_matrix(problem& p) {
  if (p.coefficients != coefficients::constant) return;
  const bool real = !is_complex(p.type);
  const auto number = [&](double re, double im) { return std::complex<double>(re, real ? 0 : im); };
  p.matrix.interior = {number(1, 0.5), number(-4, 1), number(0.5, -1)};
  p.matrix.head = {{number(0.25, 1), number(3, 0.5), number(1, 0.25)}};
}

class Backward : public ::testing::TestWithParam<tridia::backend> {
 public:
  [[nodiscard]] static run_options how(int threads = 2) {
    return {.backend = GetParam(), .threads = GetParam() == tridia::backend::cpu ? threads : 1};
  }
};

/// Runs one case with all that can vary in it.
void expect_gradients(const problem& p, cotangents convention, const run_options& how, rng& random,
                      const backward_layout& l = {}) {
  SCOPED_TRACE(describe(p, convention));
  backward_experiment e(p, convention, how, l);
  ASSERT_EQ(e.start(random), "");
  ASSERT_EQ(e.run(), "");
  EXPECT_EQ(e.check(), "");
  for (const index_t s : e.status()) EXPECT_EQ(s, 0);
  const bool dominant = p.pivoting == pivoting::none && p.coefficients != coefficients::constant;
  if (!dominant) return;
  EXPECT_EQ(e.check_derivative(random), "");
}

TEST_P(Backward, EveryLayout) {
  rng random = random_for("backward layouts");
  for (const layout_case& c : layout_cases()) {
    for (const index_t n : {1, 2, 3, 8, 21}) {
      for (const boundary b : kBoundaries) {
        if (c.regular_only && b == boundary::periodic) continue;
        problem p = c.make(n, 12, random);
        if (p.ragged_layout != tridia::ragged_layout::concatenated) continue;  // refused
        p.type = kTypes[draw(random, 0, 3)];
        p.boundary = b;
        p.operation = kOperations[draw(random, 0, 2)];
        p.pivoting = pivoting::none;
        set_matrix(p);
        SCOPED_TRACE(c.name);
        expect_gradients(p, kConventions[draw(random, 0, 1)], how(), random);
      }
    }
  }
}

TEST_P(Backward, EveryTypeOperationAndConvention) {
  rng random = random_for("backward kinds");
  const problem layouts[] = {{.extents = {6, 11}},
                             {.extents = {11, 37}, .axis = 0},
                             {.extents = {9, 7}, .coefficients = coefficients::shared},
                             {.extents = {7, 70}, .axis = 0, .coefficients = coefficients::shared},
                             {.extents = {4, 9}, .right_hand_sides = 3}};
  for (const problem& of : layouts) {
    for (const value_type type : kTypes) {
      for (const operation op : kOperations) {
        for (const boundary b : kBoundaries) {
          for (const cotangents convention : kConventions) {
            problem p = of;
            p.type = type, p.operation = op, p.boundary = b, p.pivoting = pivoting::none;
            expect_gradients(p, convention, how(), random);
          }
        }
      }
    }
  }
}

TEST_P(Backward, WithPivoting) {
  rng random = random_for("backward pivoting");
  for (const value_type type : kTypes) {
    for (const int axis : {0, 1}) {
      for (const operation op : kOperations) {
        const problem p{.type = type, .extents = {20, 24}, .axis = axis, .operation = op};
        backward_experiment e(p, cotangents::conjugate, how());
        ASSERT_EQ(e.start(random), "");
        ASSERT_EQ(e.run(), "");
        EXPECT_EQ(e.check(), "") << describe(p, cotangents::conjugate);
      }
    }
  }
}

/// Long lines, many lines and many sums take more than one chunk, block or thread of each kind.
TEST_P(Backward, LargeBatches) {
  rng random = random_for("backward large");
  const problem layouts[] = {
      {.extents = {3, 9001}},
      {.extents = {131, 1100}, .axis = 0},
      {.extents = {3, 70, 600}, .axis = 1},
      {.extents = {3000, 33}, .coefficients = coefficients::shared},
      {.extents = {33, 3000}, .axis = 0, .coefficients = coefficients::shared},
      {.extents = {5, 33, 700}, .axis = 1, .coefficients = coefficients::shared},
      {.extents = {33, 300}, .axis = 0, .right_hand_sides = 5}};
  for (const problem& of : layouts) {
    for (const boundary b : kBoundaries) {
      problem p = of;
      p.boundary = b, p.pivoting = pivoting::none;
      SCOPED_TRACE(describe(p, cotangents::linear));
      backward_experiment e(p, cotangents::linear, how());
      ASSERT_EQ(e.start(random), "");
      ASSERT_EQ(e.run(), "");
      EXPECT_EQ(e.check(), "");
      const std::vector<std::byte> first = e.bytes();
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(e.run(), "");
        EXPECT_EQ(e.bytes(), first) << "another run gives other bits";
      }
    }
  }
}

/// A layout may sum over any axes, rows among them, each gradient over its own.
TEST_P(Backward, SumsOverAnyAxes) {
  rng random = random_for("backward sums");
  const problem p{.extents = {4, 9, 40}, .axis = 1, .pivoting = pivoting::none};
  const std::vector<backward_layout> layouts = {
      {.dl_strides = {0, 40, 1}, .d_strides = {0, 40, 1}, .du_strides = {0, 40, 1}},
      {.dl_strides = {9, 1, 0}, .d_strides = {0, 0, 0}, .du_strides = {40, 0, 1}},
      {.dl_strides = {0, 0, 1}, .d_strides = {360, 1, 9}, .du_strides = {1, 4, 0}},
      {.rhs_strides = {1, 4, 36}, .g_strides = {360, -40, -1}}};
  for (const backward_layout& l : layouts) {
    backward_experiment e(p, cotangents::linear, how(), l);
    ASSERT_EQ(e.start(random), "");
    ASSERT_EQ(e.run(), "");
    EXPECT_EQ(e.check(), "");
  }
  // Coefficients that are broadcast along the rows, whose gradients are too.
  problem rows = p;
  rows.dl_strides = {0, 0, 0}, rows.d_strides = {40, 0, 1}, rows.du_strides = {0, 0, 1};
  expect_gradients(rows, cotangents::linear, how(), random);
  // A gradient for every line, though they share their matrix.
  problem shared = p;
  shared.coefficients = coefficients::shared;
  expect_gradients(shared, cotangents::linear, how(), random,
                   {.dl_strides = {360, 40, 1}, .d_strides = {360, 40, 1}});
}

TEST_P(Backward, OfWhatIsWanted) {
  rng random = random_for("backward wanted");
  for (const coefficients c : {coefficients::per_system, coefficients::shared}) {
    problem p{.extents = {5, 12}, .pivoting = pivoting::none, .coefficients = c};
    backward_experiment e(p, cotangents::linear, how());
    ASSERT_EQ(e.start(random), "");
    for (int k = 0; k < 8; ++k) {
      e.want((k & 1) != 0, (k & 2) != 0, (k & 4) != 0);
      ASSERT_EQ(e.run(), "") << k;
      EXPECT_EQ(e.check(), "") << k;
    }
  }
}

TEST_P(Backward, WithoutElements) {
  rng random = random_for("backward empty");
  for (const std::vector<index_t>& extents :
       {std::vector<index_t>{0, 5}, {5, 0}, {0, 0}, {1, 1}, {0, 5, 3}}) {
    for (const coefficients c : {coefficients::per_system, coefficients::shared}) {
      for (const index_t sides : {0, 1}) {
        if (sides == 0 && extents[1] == 0) continue;
        problem p{.extents = extents, .right_hand_sides = sides, .pivoting = pivoting::none};
        p.coefficients = c;
        SCOPED_TRACE(describe(p, cotangents::linear));
        backward_experiment e(p, cotangents::linear, how());
        ASSERT_EQ(e.start(random), "");
        ASSERT_EQ(e.run(), "");
        EXPECT_EQ(e.check(), "");
      }
    }
  }
}

/// A sum over no systems at all is 0, and is written.
TEST_P(Backward, SumsOverNothingAreZero) {
  const problem p{.extents = {0, 5}, .coefficients = coefficients::shared};
  const tridia::backward_plan plan(p, {.backend = GetParam()});
  buffer coefficient(GetParam(), 15 * sizeof(double)), gradient(GetParam(), 15 * sizeof(double));
  std::fill_n(reinterpret_cast<double*>(gradient.host()), 15, 7.0);
  gradient.push();
  const auto* const a = static_cast<const double*>(coefficient.pointer());
  auto* const to = static_cast<double*>(gradient.pointer());
  buffer workspace(GetParam(), plan.workspace_bytes());
  plan.execute(a, a + 5, a + 10, nullptr, nullptr, {to, to + 5, to + 10, nullptr},
               {.workspace = workspace.pointer(), .workspace_bytes = workspace.size()});
  if (GetParam() == tridia::backend::cuda) wait_for(nullptr);
  gradient.pull();
  for (int k = 0; k < 15; ++k) EXPECT_EQ(reinterpret_cast<double*>(gradient.host())[k], 0.0) << k;
}

/// The gradient of a coefficient may be the coefficient's array.
TEST_P(Backward, InPlace) {
  rng random = random_for("backward in place");
  for (const int axis : {0, 1}) {
    const problem p{.extents = {40, 37}, .axis = axis};
    const index_t systems = p.extents[1 - axis], n = p.extents[axis];
    backward_experiment e(p, cotangents::linear, how());
    ASSERT_EQ(e.start(random), "");
    ASSERT_EQ(e.run(), "");
    buffer workspace(GetParam(), e.plan().workspace_bytes());
    experiment& f = e.forward();
    const auto at = [&](role r) { return f.of(r).pointer(); };
    e.plan().execute(
        at(role::dl), at(role::d), at(role::du), at(role::x), e.of(role::rhs).pointer(),
        {.dl = at(role::dl), .d = at(role::d), .du = at(role::du), .rhs = e.of(role::x).pointer()},
        {.workspace = workspace.pointer(), .workspace_bytes = workspace.size()});
    if (GetParam() == tridia::backend::cuda) wait_for(nullptr);
    for (const role r : {role::dl, role::d, role::du}) {
      f.of(r).take();
      for (index_t s = 0; s < systems; ++s) {
        for (index_t k = 0; k < n; ++k) {
          const wide found = f.of(r).get(axis == 1 ? s * n + k : k * systems + s);
          // The kernels that form gradients afterwards round as those that solve.
          EXPECT_EQ(found, e.at(r, s, k)) << axis << ' ' << s << ' ' << k;
        }
      }
    }
  }
}

/// Gradients of a singular system are NaN, but where there is no coefficient; others are untouched.
TEST_P(Backward, OfASingularSystem) {
  rng random = random_for("backward singular");
  const problem p{.extents = {3, 8}};
  backward_experiment e(p, cotangents::linear, how());
  ASSERT_EQ(e.start(random), "");
  for (index_t k = 0; k < 8; ++k) {
    e.forward().set(role::d, 1, k, 0);
    e.forward().set(role::dl, 1, k, 0);
    e.forward().set(role::du, 1, k, 0);
  }
  ASSERT_EQ(e.forward().run(), "");
  ASSERT_EQ(e.run(), "");
  EXPECT_EQ(e.status()[0], 0);
  EXPECT_NE(e.status()[1], 0);
  for (index_t k = 0; k < 8; ++k) {
    EXPECT_TRUE(std::isnan(e.at(role::x, 1, k).real()));
    EXPECT_TRUE(std::isnan(e.at(role::d, 1, k).real()));
    EXPECT_EQ(std::isnan(e.at(role::dl, 1, k).real()), k > 0);
    EXPECT_EQ(std::isnan(e.at(role::du, 1, k).real()), k < 7);
    EXPECT_FALSE(std::isnan(e.at(role::d, 0, k).real()));
    EXPECT_FALSE(std::isnan(e.at(role::du, 2, k).real()));
  }
  EXPECT_EQ(e.at(role::dl, 1, 0), wide(0));
  EXPECT_EQ(e.at(role::du, 1, 7), wide(0));
}

INSTANTIATE_TEST_SUITE_P(, Backward, ::testing::ValuesIn(backends()),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace tridia_test
