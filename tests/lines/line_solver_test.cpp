// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/line_solver.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "tridia/math.hpp"
#include "tridia/solve_lines.hpp"
#include "tridia/tridia.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace tridia_test {
namespace {

namespace math = tridia::math;
using tridia::line_grid, tridia::row, tridia::simd;

TEST(LineSolver, SolvesALineInEachLane) {
  using lanes = simd<double, 4>;
  rng random = random_for("LineSolver");
  constexpr int n = 20;
  std::vector<lanes> d(n), x(n, lanes(-7));
  for (lanes& v : d)
    v = lanes::filled([&](int) { return 3 + 0.1 * static_cast<double>(draw(random, 0, 9)); });
  tridia::line_solver<lanes, tridia::boundary::periodic, tridia::pivoting::partial> s(n);
  int made = 0, taken = 0;
  const auto solve = [&](int lane_without_solution) {
    const lanes spoiled = lanes::filled([&](int lane) {
      return lane == lane_without_solution ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    });
    return s.solve(
        n,
        [&](int k) {
          ++made;
          return row<lanes>{-1, d[k] + spoiled, -1, {1}};
        },
        [&](int k, const lanes& v) { ++taken, x[k] = v; });
  };
  EXPECT_TRUE(math::all(solve(-1)));
  EXPECT_EQ(made, n);
  EXPECT_EQ(taken, n);
  for (int k = 0; k < n; ++k) {
    const lanes left = d[k] * x[k] - x[(k + 1) % n] - x[(k + n - 1) % n] - 1.0;
    for (int lane = 0; lane < 4; ++lane) EXPECT_NEAR(left[lane], 0, 1e-14);
  }
  const auto good = solve(2);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(good[lane], lane != 2);
    for (const lanes& v : x) EXPECT_EQ(std::isnan(v[lane]), lane == 2);
  }
}

TEST(LineSolver, TakesOneLineOfNumbers) {
  tridia::line_solver<double> s(3);
  double x[3] = {7, 7, 7};
  EXPECT_TRUE(s.solve(
      3,
      [](int) {
        return row<double>{1, 4, 1, {6}};
      },
      [&](int k, double v) { x[k] = v; }));
  EXPECT_NEAR(4 * x[0] + x[1], 6, 1e-15);
  EXPECT_TRUE(s.solve(
      0, [](int) { return row<double>{}; }, [&](int, double) { FAIL(); }));
  EXPECT_FALSE(s.solve(
      1,
      [](int) {
        return row<double>{1, 0, 1, {6}};
      },
      [&](int k, double v) { x[k] = v; }));
  EXPECT_TRUE(std::isnan(x[0]));
}

template <class F>
std::string refusal(F call, tridia::errc code) {
  try {
    call();
  } catch (const tridia::error& e) {
    return e.code() == code ? e.what() : "another code";
  }
  return "nothing was thrown";
}

TEST(LinesRefusals, NameWhatIsWrong) {
  using tridia::errc;
  const auto make = [](const tridia::point<2>&) -> row<double> {
    throw std::logic_error("a row was made");
  };
  const auto take = [](const tridia::point<2>&, double) {};
  const auto of = [&](int rows, int columns, const tridia::lines_options& o) {
    return refusal(
        [&] {
          tridia::solve_lines<double>(line_grid<2, 0>{{rows, columns}}, make, take, o);
        },
        errc::invalid_argument);
  };
  std::vector<int> status(4);
  EXPECT_EQ(of(-1, 3, {}), "grid: size[0] is -1; it must be 0 or more");
  EXPECT_EQ(of(3, -2, {}), "grid: size[1] is -2; it must be 0 or more");
  EXPECT_EQ(of(3, 3, {.threads = -1}), "threads: -1; it must be 0 or more");
  EXPECT_EQ(of(3, 3, {.status = status}), "status: 4 entries; the grid has 3 lines");
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_EQ(refusal(
                [&] {
                  tridia::solve_lines<double>(
                      line_grid<3, 0>{{most, most, most}},
                      [](const tridia::point<3>&) -> row<double> { throw std::logic_error("row"); },
                      [](const tridia::point<3>&, double) {});
                },
                errc::invalid_argument),
            "grid: it has more points than 2^63 - 1");
  EXPECT_EQ(refusal([] { tridia::line_solver<double>(-1); }, errc::invalid_argument),
            "max_rows: -1; it must be 0 or more");
  tridia::line_solver<double> s(3);
  EXPECT_EQ(refusal(
                [&] {
                  s.solve(
                      4,
                      [](int) {
                        return row<double>{0, 1, 0, {1}};
                      },
                      [](int, double) {});
                },
                errc::invalid_argument),
            "n: 4 rows; the solver has room for 3");
}

TEST(LinesRefusals, NothingIsDoneForNoLinesAndNoRows) {
  const auto make = [](const tridia::point<2>&) -> row<double> { throw std::logic_error("row"); };
  const auto take = [](const tridia::point<2>&, double) {};
  std::vector<int> status(3, 7);
  tridia::solve_lines<double>(line_grid<2, 0>{{3, 0}}, make, take);
  tridia::solve_lines<double>(line_grid<2, 0>{{0, 3}}, make, take, {.status = status});
  EXPECT_EQ(status, std::vector<int>(3, 0));
}

TEST(LineSolver, SolveLinesTakesAGridOfOneLine) {
  for (const int n : {1, 2, 100, 50000}) {
    std::vector<double> x(static_cast<std::size_t>(n), -7);
    tridia::solve_lines<double, tridia::boundary::periodic>(
        line_grid<1, 0>{{n}},
        [](const tridia::point<1>& p) {
          return row<double>{-1, 3, -1, {p[0] % 2 == 0 ? 1.0 : 2.0}};
        },
        [to = tridia::packed(x.data())](const tridia::point<1>& p, double v) { to(p) = v; });
    const auto at = [&](int k) { return x[static_cast<std::size_t>((k + n) % n)]; };
    for (int k = 0; k < n; ++k) {
      ASSERT_NEAR(3 * at(k) - at(k - 1) - at(k + 1), k % 2 == 0 ? 1 : 2, 1e-13) << n;
    }
  }
}

template <class V>
V generic(const V& a) {
  return math::select(a > V(1), math::exp(a), math::max(0, math::sqrt(math::abs(a)))) +
         math::min(a, 2.0f) + math::select(a < V(0), 1, 0.5f);
}
template <class R, int W>
void gives_what_numbers_give() {
  using lanes = simd<R, W>;
  rng random = random_for("math");
  for (int repeat = 0; repeat < 100; ++repeat) {
    const lanes a =
        lanes::filled([&](int) { return static_cast<R>(draw(random, -300, 300)) / 64; });
    const lanes b = lanes::filled([&](int) { return static_cast<R>(draw(random, -3, 3)); });
    const lanes g = generic(a), e = math::exp(a), s = math::sqrt(math::abs(a));
    const tridia::complex<lanes> z{a, b}, root = math::sqrt(z), power = math::exp(z);
    const lanes modulus = math::abs(z);
    const auto less = a < b, equal = a == b, both = !(a <= b) || (a != b && a >= b);
    for (int l = 0; l < W; ++l) {
      EXPECT_EQ(g[l], generic(a[l]));
      EXPECT_EQ(e[l], std::exp(a[l]));
      EXPECT_EQ(s[l], std::sqrt(std::abs(a[l])));
      EXPECT_EQ(less[l], a[l] < b[l]);
      EXPECT_EQ(equal[l], a[l] == b[l]);
      EXPECT_EQ(both[l], a[l] > b[l]);
      EXPECT_EQ(math::min(a, b)[l], std::min(a[l], b[l]));
      EXPECT_EQ(math::max(a, b)[l], std::max(a[l], b[l]));
      const std::complex<R> w(a[l], b[l]), found(root.re[l], root.im[l]),
          raised(power.re[l], power.im[l]);
      const R tolerance = 8 * std::numeric_limits<R>::epsilon();
      EXPECT_LE(std::abs(found - std::sqrt(w)), tolerance * std::abs(found));
      EXPECT_LE(std::abs(raised - std::exp(w)), tolerance * std::abs(raised));
      EXPECT_NEAR(modulus[l], std::abs(w), tolerance * modulus[l]);
    }
    EXPECT_EQ(math::any(less), !math::all(!less));
  }
  const R nan = std::numeric_limits<R>::quiet_NaN();
  EXPECT_TRUE(std::isnan(math::min(lanes(nan), lanes(1))[0]));
  EXPECT_EQ(math::max(lanes(1), lanes(nan))[W - 1], 1);
  EXPECT_TRUE(math::all(lanes(2) > lanes(1)));
  EXPECT_FALSE(math::any(lanes(nan) == lanes(nan)));
}

TEST(LinesMath, GivesInEveryLaneWhatItGivesForNumbers) {
  gives_what_numbers_give<float, tridia::simd_lanes<float>>();
  gives_what_numbers_give<double, tridia::simd_lanes<double>>();
  gives_what_numbers_give<double, 2>();
  EXPECT_EQ(math::select(true, 1, 2.5), 1.0);
  EXPECT_TRUE(math::all(true));
  EXPECT_FALSE(math::any(false));
}

}  // namespace
}  // namespace tridia_test
