// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "lines/lines_case.hpp"

namespace tridia_test {
namespace {

/// Solves lines of every length about those at which something changes, on odd extents.
template <class T, int Axis, boundary B, pivoting P, int Sides>
void solves_lines(const char* name) {
  rng random = random_for(name);
  constexpr int at_once = tridia::detail::most_rows_at_once;
  for (const int n : {1, 2, 3, 4, 5, 17, 64, at_once, at_once + 1, at_once + 519}) {
    const bool is_long = n > 1000;
    std::array<int, 3> size{};
    for (int& s : size) s = static_cast<int>(draw(random, 1, is_long ? 3 : 9));
    size[Axis == 2 ? 1 : 2] = static_cast<int>(draw(random, 1, is_long ? 11 : 37));
    size[Axis] = n;
    lines_case<T, Axis, B, P, Sides> c(random, size);
    c.solve(static_cast<int>(draw(random, 0, 3)));
    EXPECT_EQ(c.check(n > at_once ? 2 : 1), "")
        << size[0] << " x " << size[1] << " x " << size[2] << ", axis " << Axis;
  }
}

constexpr auto regular = boundary::regular, periodic = boundary::periodic;
constexpr auto none = pivoting::none, partial = pivoting::partial;

TEST(SolveLines, AlongTheLastAxis) { solves_lines<double, 2, regular, none, 1>("last"); }
TEST(SolveLines, AlongTheFirstAxis) { solves_lines<double, 0, regular, none, 1>("first"); }
TEST(SolveLines, Periodic) { solves_lines<double, 1, periodic, none, 1>("periodic"); }
TEST(SolveLines, Pivoting) { solves_lines<double, 0, regular, partial, 1>("pivoting"); }
TEST(SolveLines, PeriodicPivoting) { solves_lines<double, 2, periodic, partial, 1>("both"); }
TEST(SolveLines, RightHandSides) { solves_lines<double, 0, regular, none, 3>("sides"); }

TEST(SolveLines, FunctionsOfOnePointGetLinesOneByOne) {
  rng random = random_for("one by one");
  lines_case<double, 0, periodic, partial, 2> c(random, {19, 3, 13});
  c.solve_one_by_one();
  EXPECT_EQ(c.check(1), "");
}

TEST(SolveLines, FromInputs) {
  rng random = random_for("inputs");
  lines_case<double, 1, periodic, partial, 1> several(random, {3, 19, 13});
  several.solve_from_inputs();
  EXPECT_EQ(several.check(1), "");
  lines_case<float, 2, regular, none, 1> of_long_lines(random, {2, 9, 2600});
  of_long_lines.solve_from_inputs();
  EXPECT_EQ(of_long_lines.check(2), "");
}

TEST(SolveLines, SaysWhichLinesHaveNoSolution) {
  rng random = random_for("singular");
  for (const int n : {1, 2, 9, 3000}) {
    lines_case<double, 0, regular, partial, 2> c(random, {n, 3, 29});
    std::vector<std::int64_t> failing;
    for (std::int64_t line = 0; line < c.g.lines(); ++line) {
      if (draw(random, 0, 4) != 0) continue;
      failing.push_back(line);
      // A row of zeros, or a number that is not finite.
      const std::size_t p = c.point_of(line, static_cast<int>(draw(random, 0, n - 1)));
      const bool singular = flip(random);
      c.at(c.dl, p) = c.at(c.d, p) = c.at(c.du, p) = 0;
      if (!singular) c.at(c.d, p) = std::numeric_limits<double>::quiet_NaN();
    }
    c.solve();
    EXPECT_EQ(c.check(n > 2048 ? 2 : 1, failing), "") << n << " rows";
  }
}

}  // namespace
}  // namespace tridia_test
