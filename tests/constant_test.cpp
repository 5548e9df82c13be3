// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Solves with constant coefficients must be as accurate as the same elimination in long double,
// whatever the layout and the path of a backend. One bad right-hand side spoils no other, and what
// does not fit is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/raise_error.hpp"
#include "support/refusal.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"
#include "tridia/tridia.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::near_toeplitz;
using tridia::problem;
using tridia::value_type;

/// Returns the left side of the sixth-order first derivative, with its closures 3-4 (Lele 1992), or
/// without them if it must be circulant.
near_toeplitz c6(boundary ends) {
  near_toeplitz a{.interior = {1.0 / 3, 1, 1.0 / 3}};
  if (ends == boundary::periodic) return a;
  a.head = {{7, 1, 2}, {0.25, 1, 0.25}};
  a.tail = {{0.25, 1, 0.25}, {2, 1, 7}};
  return a;
}

struct place {
  const char* name;
  std::vector<index_t> extents;
  int axis;
  std::vector<index_t> rhs_strides, x_strides;
};

/// Returns places of lines whose rows have 16 bytes or other sizes: contiguous and interleaved,
/// dense and padded.
std::vector<place> places(index_t n) {
  return {{"contiguous", {9, n}, 1, {}, {}},
          {"contiguous, in 16 bytes", {5, n}, 1, {2 * n + 16 - n % 16, 1}, {}},
          {"interleaved", {n, 37}, 0, {}, {}},
          {"interleaved, in 16 bytes", {n, 96}, 0, {}, {}},
          {"middle", {3, n, 20}, 1, {}, {}},
          {"middle, few", {7, n, 3}, 1, {}, {}},
          {"middle, in 16 bytes", {2, n, 32}, 1, {40 * n, 40, 1}, {}},
          {"turned", {n, 6}, 0, {}, {1, n}},
          {"backwards", {4, n}, 1, {n, -1}, {}}};
}

struct config {
  tridia::backend backend;
  value_type type;
  tridia::boundary ends;
};

void PrintTo(const config& c, std::ostream* out) {
  *out << name(c.backend) << '_' << name(c.type) << '_' << name(c.ends);
}

class Constant : public ::testing::TestWithParam<config> {
 protected:
  problem problem_of(const place& p) const {
    problem made{.type = GetParam().type, .extents = p.extents, .axis = p.axis};
    made.boundary = GetParam().ends;
    made.coefficients = tridia::coefficients::constant;
    made.matrix = c6(GetParam().ends);
    made.rhs_strides = p.rhs_strides;
    made.x_strides = p.x_strides;
    return made;
  }
};

/// Returns x in long double, for a regular or circulant matrix with constant coefficients and
/// well-behaved pivots: by bordering if it is periodic.
std::vector<wide> solved(const near_toeplitz& a, boundary ends, std::vector<wide> b) {
  const std::size_t n = b.size();
  const auto row = [&](std::size_t k) {
    return k < a.head.size()       ? a.head[k]
           : k + a.tail.size() < n ? a.interior
                                   : a.tail[k + a.tail.size() - n];
  };
  const auto thomas = [&](std::vector<wide> y, std::size_t m) {
    std::vector<wide> upper(m);
    for (std::size_t k = 0; k < m; ++k) {
      const wide sub = k > 0 ? wide(row(k).dl) : 0;
      const wide pivot = wide(row(k).d) - (k > 0 ? sub * upper[k - 1] : 0);
      upper[k] = wide(row(k).du) / pivot;
      y[k] = (y[k] - (k > 0 ? sub * y[k - 1] : 0)) / pivot;
    }
    for (std::size_t k = m - 1; k-- > 0;) y[k] -= upper[k] * y[k + 1];
    return y;
  };
  if (ends == boundary::regular) return thomas(b, n);
  const std::size_t m = n - 1;
  std::vector<wide> border(m);
  border[0] = row(0).dl;
  border[m - 1] += wide(row(m - 1).du);
  const std::vector<wide> y = thomas({b.begin(), b.end() - 1}, m), z = thomas(border, m);
  const wide sub = row(m).dl, sup = row(m).du;
  const wide last =
      (b[m] - sub * y[m - 1] - sup * y[0]) / (wide(row(m).d) - sub * z[m - 1] - sup * z[0]);
  for (std::size_t k = 0; k < m; ++k) b[k] = y[k] - z[k] * last;
  b[m] = last;
  return b;
}

std::string error_of(const experiment& e, index_t system) {
  const std::vector<wide> x = solution_of(e, system, 0);
  const std::vector<wide> right =
      solved(e.problem().matrix, e.problem().boundary, rhs_of(e, system, 0));
  long double error = 0, size = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    raise_error(error, std::abs(x[k] - right[k]));
    size = std::max(size, std::abs(right[k]));
  }
  if (error <= 12 * epsilon(e.problem().type) * size) return "";
  return "system " + std::to_string(system) + " is off by " +
         std::to_string(static_cast<double>(error / size / epsilon(e.problem().type))) +
         " epsilons";
}

std::vector<index_t> sizes(tridia::backend b) {
  std::vector<index_t> n{3, 4, 24, 25, 31, 64, 100, 256};
  if (b == tridia::backend::cuda)
    for (const index_t more : {127, 257, 511, 512, 544, 545, 1000, 1024, 1089, 2048, 2304, 2305,
                               4096, 4100, 4608, 4609, 8704, 20000})
      n.push_back(more);
  return n;
}

TEST_P(Constant, AsAccurateAsInLongDouble) {
  std::size_t run = 0;
  for (const index_t n : sizes(GetParam().backend)) {
    if (GetParam().ends == boundary::regular && n < 4) continue;
    for (const place& p : places(n)) {
      // The longest, which take most of the time, meet some of the places.
      if (++run % 4 != 0 && n > 1100) continue;
      problem made = problem_of(p);
      run_options m{.backend = GetParam().backend, .threads = 2};
      if (run % 2 == 0) {
        m.alias = role::rhs;
        made.x_strides = made.rhs_strides;
      }
      experiment e(made, m);
      rng random = random_for(p.name);
      e.fill_matrices(random);
      e.fill_rhs(random);
      ASSERT_EQ(e.run(), "") << p.name << ' ' << n;
      for (index_t s = 0; s < e.where().systems(); s += 1 + e.where().systems() / 40)
        ASSERT_EQ(error_of(e, s), "")
            << p.name << ' ' << n << (m.alias ? " in place; " : "; ") << e.plan().reason();
      ASSERT_EQ(e.status(), std::vector<index_t>(static_cast<std::size_t>(e.where().systems())));
    }
  }
}

TEST_P(Constant, ABadRightSideSpoilsNoOther) {
  for (const index_t n : {6, 100, 300}) {
    for (const place& p : places(n)) {
      experiment good(problem_of(p), {.backend = GetParam().backend});
      experiment bad(problem_of(p), {.backend = GetParam().backend});
      const index_t systems = good.where().systems(), spoilt = systems / 2;
      for (experiment* e : {&good, &bad}) {
        rng random = random_for("spoilt");
        e->fill_matrices(random);
        e->fill_rhs(random);
        if (e == &bad) {
          e->set(role::rhs, spoilt, n - 2, std::numeric_limits<long double>::infinity());
          e->set(role::rhs, spoilt, n / 2, std::numeric_limits<long double>::quiet_NaN());
        }
        ASSERT_EQ(e->run(), "") << p.name << ' ' << n;
      }
      for (index_t s = 0; s < systems; ++s) {
        const auto at = static_cast<std::size_t>(s);
        EXPECT_EQ(bad.status()[at], s == spoilt ? -(n / 2 + 1) : 0) << p.name << ' ' << n;
        if (s != spoilt) {
          EXPECT_EQ(bad.solution_bytes(s), good.solution_bytes(s)) << p.name << ' ' << n;
        }
      }
      if (HasFailure()) return;
    }
  }
}

std::vector<config> configs() {
  std::vector<config> all;
  for (const tridia::backend b : backends())
    for (const value_type t : kTypes)
      for (const boundary e : {boundary::regular, boundary::periodic}) all.push_back({b, t, e});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Constant, ::testing::ValuesIn(configs()),
                         [](const auto& test) { return ::testing::PrintToString(test.param); });

// The matrix is weakly dominant: its factors change along the whole line and do not decay.
TEST(ConstantMatrix, OfTheSecondDifference) {
  for (const tridia::backend b : backends()) {
    for (const auto& extents : {std::vector<index_t>{40, 300}, std::vector<index_t>{300, 40}}) {
      problem p{.extents = extents, .axis = extents[0] == 40 ? 1 : 0};
      p.coefficients = tridia::coefficients::constant;
      p.matrix = {.interior = {-1, 2, -1}};
      experiment e(p, {.backend = b});
      rng random = random_for("second difference");
      e.fill_matrices(random);
      e.fill_rhs(random);
      EXPECT_EQ(e.run(), "");
      EXPECT_EQ(check_solution(e, 0), "") << name(b);
    }
  }
}

/// Returns a diagonally dominant row, so that the matrix can be solved in any order.
near_toeplitz::row random_row(rng& random, value_type type) {
  const bool complex = type == value_type::c64 || type == value_type::c128;
  std::uniform_real_distribution<double> part(-1, 1);
  const auto entry = [&](double middle) {
    const double re = middle + part(random);
    return std::complex<double>(re, complex ? part(random) : 0);
  };
  return {entry(0), entry(4), entry(0)};
}

// Lines are as short as possible, with different rows at the ends; periodic ones are not circulant.
TEST(ConstantMatrix, OfAnyLengthWithRowsOfTheirOwn) {
  rng random = random_for("rows of their own");
  for (const tridia::backend b : backends()) {
    for (const value_type type : kTypes) {
      for (index_t n = 0; n < 28; n += n < 8 ? 1 : 5) {
        for (const index_t own : {0, 1, 2, 3}) {
          if (own > n) continue;
          problem p{.type = type, .extents = {3, n, 5}, .axis = 1};
          p.boundary = (n + own) % 2 == 0 ? boundary::periodic : boundary::regular;
          p.coefficients = tridia::coefficients::constant;
          p.matrix.interior = random_row(random, type);
          for (index_t k = 0; k < own; ++k) {
            (k % 2 == 0 ? p.matrix.head : p.matrix.tail).push_back(random_row(random, type));
          }
          experiment e(p, {.backend = b});
          e.fill_matrices(random);
          e.fill_rhs(random);
          ASSERT_EQ(e.run(), "") << name(b) << ' ' << name(type) << ' ' << n << ' ' << own;
          ASSERT_EQ(check_solution(e, 12), "")
              << name(b) << ' ' << name(type) << ' ' << n << ' ' << own;
        }
      }
    }
  }
}

problem constant_problem(const near_toeplitz& a) {
  problem p{.extents = {3, 5}};
  p.coefficients = tridia::coefficients::constant;
  p.matrix = a;
  return p;
}

TEST(ConstantMatrix, IsRefused) {
  using tridia::errc;
  const auto refuse = [](const problem& p, errc code, const std::vector<std::string>& words) {
    for (const tridia::backend b : backends())
      expect_refusal(code, words, [&] { tridia::plan made(p, {.backend = b}); });
  };
  refuse(constant_problem({.interior = {1, 0, 1}}), errc::singular, {"matrix", "5"});
  problem periodic = constant_problem({.interior = {-1, 2, -1}});
  periodic.boundary = boundary::periodic;
  refuse(periodic, errc::singular, {"matrix", "5"});
  near_toeplitz many{.interior = {1, 4, 1}};
  many.head.resize(4, many.interior), many.tail.resize(2, many.interior);
  refuse(constant_problem(many), errc::invalid_argument, {"matrix", "4", "2", "5"});
  refuse(constant_problem({.interior = {{1, 2}, 4, 1}}), errc::invalid_argument,
         {"matrix", "dl", "2", "f64"});
  refuse(constant_problem({.interior = {1, std::numeric_limits<double>::quiet_NaN(), 1}}),
         errc::invalid_argument, {"matrix", " d ", "finite"});
  problem strided = constant_problem({.interior = {1, 4, 1}});
  strided.d_strides = {5, 1};
  refuse(strided, errc::invalid_argument, {"d_strides", "matrix"});
}

TEST(ConstantMatrix, HasOneFormOfExecution) {
  const tridia::plan constant(constant_problem({.interior = {1, 4, 1}}));
  EXPECT_EQ(constant.factors_bytes(), 0U);
  std::vector<double> a(15, 1), x(15);
  std::vector<char> workspace(constant.workspace_bytes());
  const tridia::execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
  const auto refuse = [](const char* kind, const std::function<void()>& f) {
    expect_refusal(tridia::errc::invalid_argument, {"coefficients", kind}, f);
  };
  refuse("constant",
         [&] { constant.execute(a.data(), a.data(), a.data(), a.data(), x.data(), e); });
  refuse("constant", [&] { constant.factor(a.data(), a.data(), a.data(), x.data(), e); });
  refuse("constant", [&] { constant.solve(a.data(), a.data(), x.data(), e); });
  const tridia::plan shared(
      problem{.extents = {3, 5}, .coefficients = tridia::coefficients::shared});
  refuse("shared", [&] { shared.execute(a.data(), x.data(), e); });
  refuse("shared", [&] { tridia::solve(shared.problem(), a.data(), x.data()); });
  tridia::solve(constant.problem(), a.data(), x.data());
  constant.execute(a.data(), a.data(), e);
  EXPECT_EQ(a, x);
  EXPECT_NEAR(x[0] * 4 + x[1], 1, 1e-15);
}

}  // namespace
}  // namespace tridia_test
