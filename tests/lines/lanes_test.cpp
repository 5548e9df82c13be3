// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/random.hpp"
#include "tridia/solve.hpp"
#include "tridia/solve_lines.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tridia_test {
namespace {

using tridia::line_grid, tridia::packed, tridia::point, tridia::row, tridia::value_at;

TEST(SolveLinesInLanes, ThrowsWithoutAStatus) {
  std::vector<double> x(12);
  const line_grid<2, 1> g{{3, 4}};
  const auto solve = [&](auto diag) {
    tridia::solve_lines<double>(
        g,
        [&](const auto& p) {
          using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
          return row<V>{0, diag(p), 0, {1}};
        },
        [to = packed(x.data())](const auto& p, const auto& v) { to(p) = v; });
  };
  try {
    solve([](const auto& p) {
      using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
      return V(p.template place<double>(0) * 1.0) - V(1);  // line 1 is singular
    });
    FAIL() << "nothing was thrown";
  } catch (const tridia::error& e) {
    EXPECT_EQ(e.code(), tridia::errc::singular);
    EXPECT_NE(std::string(e.what()).find("line 1 "), std::string::npos) << e.what();
  }
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(x[static_cast<std::size_t>(k)], -1);
    EXPECT_TRUE(std::isnan(x[static_cast<std::size_t>(4 + k)]));
    EXPECT_EQ(x[static_cast<std::size_t>(8 + k)], 1);
  }
}

TEST(SolveLinesInLanes, XMayOverwriteWhatItsLineIsMadeFrom) {
  rng random = random_for("in place");
  for (const int n : {5, 700, 2048}) {
    const line_grid<2, 0> g{{n, 21}};
    std::vector<double> u(static_cast<std::size_t>(n) * 21), x(u.size());
    for (double& v : u) v = static_cast<double>(draw(random, 1, 1000));
    const auto solve = [&](const double* from, double* to) {
      tridia::solve_lines<double>(
          g,
          [f = packed(from), n](const auto& p) {
            using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
            const V before = p[0] > 0 ? f(p.moved(0, -1)) : V(0);
            const V after = p[0] + 1 < n ? f(p.moved(0, 1)) : V(0);
            return row<V>{-before, 1 + before + after, -after, {f(p)}};
          },
          [t = packed(to)](const auto& p, const auto& v) { t(p) = v; });
    };
    solve(u.data(), x.data());
    solve(u.data(), u.data());
    EXPECT_EQ(u, x) << n;
  }
}

TEST(SolveLinesInLanes, FindsWhatSolveFinds) {
  rng random = random_for("solve");
  constexpr int n = 33, lines = 50;
  std::vector<double> a[4], x(n * lines), expected(n * lines);
  for (auto& v : a) {
    for (int i = 0; i < n * lines; ++i) v.push_back(static_cast<double>(draw(random, -9, 9)) + 0.5);
  }
  for (double& v : a[1]) v += v > 0 ? 25 : -25;
  tridia::solve<double>(n, lines, a[0].data(), a[1].data(), a[2].data(), a[3].data(),
                        expected.data());
  const auto of = [&](int k) { return packed(static_cast<const double*>(a[k].data())); };
  tridia::solve_lines<double, tridia::boundary::regular, tridia::pivoting::partial>(
      line_grid<2, 1>{{lines, n}},
      [dl = of(0), d = of(1), du = of(2), b = of(3)](const auto& p) {
        using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
        return row<V>{dl(p), d(p), du(p), {b(p)}};
      },
      [to = packed(x.data())](const auto& p, const auto& v) { to(p) = v; });
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], expected[i], 1e-10 * (1 + std::abs(expected[i])));
  }
}

TEST(SolveLinesInLanes, ProfilesAndPlaces) {
  // d depends on the level alone, the right-hand side on the places of all axes.
  constexpr int levels = 6, rows = 11, columns = 35;
  std::vector<double> profile(levels), x(levels * rows * columns, -1);
  for (int k = 0; k < levels; ++k) profile[static_cast<std::size_t>(k)] = k + 1;
  const tridia::field<const double, 3> d{profile.data(), {1, 0, 0}};
  tridia::solve_lines<double>(
      line_grid<3, 1>{{levels, rows, columns}},
      [&](const auto& p) {
        using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
        const V place = 10000 * p.template place<double>(0) + 100 * p.template place<double>(1) +
                        p.template place<double>(2);
        return row<V>{0, d(p), 0, {d(p) * place}};
      },
      [to = packed(x.data())](const auto& p, const auto& v) { to(p) = v; });
  for (int i = 0; i < levels * rows * columns; ++i) {
    const int expected = i / columns / rows * 10000 + i / columns % rows * 100 + i % columns;
    ASSERT_NEAR(x[static_cast<std::size_t>(i)], expected, 1e-9 * expected + 1e-12);
  }
}

TEST(SolveLinesInLanes, LetsExceptionsOut) {
  const line_grid<2, 0> g{{40, 400}};
  std::atomic<int> calls = 0;
  const auto solve = [&](auto make) {
    tridia::solve_lines<double>(g, make, [](const auto&, const auto&) {});
  };
  EXPECT_THROW(solve([&](const point<2>& p) -> row<double> {
                 if (++calls == 5000) throw std::runtime_error("enough");
                 return {0, 1.0 + p[0], 0, {1}};
               }),
               std::runtime_error);
  // A place that differs between lanes is no int.
  EXPECT_THROW(solve([&](const auto& p) {
                 using V = value_at<double, std::remove_cvref_t<decltype(p)>>;
                 return row<V>{0, V(1.0 + p[1]), 0, {1}};
               }),
               tridia::error);
}

}  // namespace
}  // namespace tridia_test
