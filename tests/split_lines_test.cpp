// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for long lines in parts on one device: they check which parts are chosen, and,
// step by step, that sums and parts give the result of the whole line.
#include "line_operator/split_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compact/adjoint.hpp"
#include "compact/assemble.hpp"
#include "compact/operator_executor.hpp"
#include "line_operator/share_summing.hpp"
#include "support/dense_lines.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/raise_error.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using namespace tridia::compact;
using namespace tridia::line_operator;
using tridia::compact::make_reference;

line_operator::specification line_of(const scheme& s, index_t points, boundary ends,
                                     bool metric = false) {
  tridia::grid g;
  g.spacing = 0.7;
  g.boundary = ends;
  for (index_t k = 0; metric && k < points; ++k)
    g.metric.push_back(1 + 0.001 * static_cast<double>(k));
  return assemble(s, default_closure(s), g, points);
}

/// Returns the adjoint of a line's operator, whose stencil comes last.
line_operator::specification adjoint_of_line(const scheme& s, index_t points, boundary ends) {
  return *adjoint_at_once(line_of(s, points, ends));
}

/// Multiplies lines with B, which comes last, line by line. Results that are given are multiplied
/// by `scale`, which the solution, a dense field of line after line, has been by already.
void gather_lines(const line_operator::specification& line, const layout::geometry& g,
                  const std::vector<double>& solution, double* out, const double* given,
                  double scale, bool accumulate) {
  for (index_t l = 0; l < g.right_sides.size; ++l) {
    index_t at[layout::array_count];
    g.right_sides.offsets(l, at);
    for (index_t k = 0; k < line.rows; ++k) {
      const index_t number = line.gathered_number(k);
      double sum = number < 0 ? 0 : scale * given[number * g.right_sides.size + l];
      const line_operator::stencil& s = line.stencil_of(k);
      for (std::size_t w = 0; number < 0 && w < s.weights.size(); ++w) {
        const index_t point = (k + s.first + static_cast<index_t>(w) + line.rows) % line.rows;
        sum += s.weights[w] * solution[static_cast<std::size_t>(l * line.rows + point)];
      }
      double& to = out[at[layout::x] + k * g.lines[layout::x].step];
      to = accumulate ? to + sum : sum;
    }
  }
}

constexpr double kScale = -2;

/// Computes out += s op(in), line by line.
void apply_lines(const line_operator::specification& line, const layout::geometry& g,
                 const double* in, double* out, const double* prescribed, bool accumulate) {
  if (line.gathers) {
    const index_t lines = g.right_sides.size;
    line_operator::specification solve = line;
    solve.gathers = false, solve.interior = {0, {1}};
    solve.head.clear(), solve.tail.clear();
    solve.gathered_head = solve.gathered_tail = 0;
    std::vector<double> of_solve(static_cast<std::size_t>(solve.prescribed() * lines));
    for (index_t k = 0; k < line.rows; ++k) {
      if (line.prescribed_number(k) < 0) continue;
      std::copy_n(prescribed + line.prescribed_number(k) * lines, lines,
                  of_solve.begin() + solve.prescribed_number(k) * lines);
    }
    std::vector<double> field(static_cast<std::size_t>(line.rows * lines));
    layout::geometry to_field = g;
    index_t stride = line.rows;
    for (int k = g.right_sides.count; k-- > 0; stride *= g.right_sides.at[k].extent)
      to_field.right_sides.at[k].stride[layout::x] = stride;
    to_field.lines[layout::x] = {0, 1};
    apply_lines(solve, to_field, in, field.data(), of_solve.data(), false);
    gather_lines(line, g, field, out, prescribed, kScale, accumulate);
    return;
  }
  const auto executor = make_reference({line, value_type::f64, g, {.backend = backend::reference}});
  std::vector<std::byte> workspace(executor->workspace_bytes());
  executor->apply({in, out, kScale, accumulate, prescribed, workspace.data(), nullptr});
}

/// Does the steps of line_operator/cuda/split_scan.cpp on the host.
void apply_split(const line_split& s, const line_operator::specification& whole,
                 const layout::geometry& g, const double* in, double* out, bool accumulate) {
  const index_t lines = g.right_sides.size;
  std::vector<double> weights, prescribed(static_cast<std::size_t>(s.slots * lines), std::nan(""));
  for (const wide& w : s.sums.weights) weights.push_back(static_cast<double>(w.re.v));
  const share_summing<double, 1, 1> sums{in,
                                         g.right_sides,
                                         g.lines[layout::rhs],
                                         whole.points,
                                         s.sums.groups.data(),
                                         static_cast<int>(s.sums.groups.size()),
                                         weights.data(),
                                         prescribed.data(),
                                         s.places};
  for (index_t l = 0; l < lines; ++l) sums(l, 0);
  for (const part_run& r : s.runs) {
    const int launches = s.order == part_order::apart ? r.parts : 1;
    for (int p = 0; p < launches; ++p) {
      apply_lines(r.line, lines_of(g, s, r),
                  in + (r.point + p * s.part_points) * g.lines[layout::rhs].step,
                  out + (r.row + p * s.part_points) * g.lines[layout::x].step,
                  prescribed.data() + (r.slot + p * r.line.prescribed()) * lines, accumulate);
    }
  }
}

constexpr index_t kLines = 6;

/// Returns interleaved lines along an axis between two others.
layout::geometry middle_lines(const line_operator::specification& line) {
  constexpr index_t outer = 2, inner = kLines / outer;
  layout::geometry g = dense_lines(line, kLines, true);
  g.lines[layout::rhs].step = g.lines[layout::x].step = inner;
  g.right_sides.count = 2;
  g.right_sides.at[0] = {outer, {}};
  g.right_sides.at[0].stride[layout::rhs] = line.points * inner;
  g.right_sides.at[0].stride[layout::x] = line.rows * inner;
  g.right_sides.at[1] = {inner, {}};
  g.right_sides.at[1].stride[layout::rhs] = g.right_sides.at[1].stride[layout::x] = 1;
  return g;
}

std::vector<layout::geometry> all_lines(const line_operator::specification& line) {
  return {dense_lines(line, kLines, false), dense_lines(line, kLines, true), middle_lines(line)};
}

void expect_split_agrees(const line_operator::specification& whole, const split_wish& wish,
                         const std::string& label, double bound = 1e-14) {
  for (const layout::geometry& g : all_lines(whole)) {
    const auto s = split(whole, value_type::f64, g, wish);
    ASSERT_TRUE(s) << label;
    EXPECT_LE(s->window, wish.most_window);
    std::vector<double> in(static_cast<std::size_t>(whole.points * kLines));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.37 * static_cast<double>(i * i));
    std::vector<double> expected(static_cast<std::size_t>(whole.rows * kLines), 1), out = expected;
    const auto compare = [&](const std::vector<double>& found, const char* how) {
      // Rows of closures, whose weights go to 27 here, round as numbers of the field's size do.
      double largest = 1, error = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        raise_error(error, std::abs(found[i] - expected[i]));
      }
      EXPECT_LT(error, bound * largest)
          << label << ' ' << how << ' ' << static_cast<int>(s->order) << ' ' << g.right_sides.count;
    };
    apply_lines(whole, g, in.data(), expected.data(), nullptr, true);
    apply_split(*s, whole, g, in.data(), out.data(), true);
    compare(out, "added");
    if (whole.points != whole.rows) continue;
    apply_lines(whole, g, in.data(), expected.data(), nullptr, false);
    apply_split(*s, whole, g, in.data(), in.data(), false);
    compare(in, "in place");
  }
}

/// Splits one line alone, of as many points, in memory order.
std::optional<line_split> split_alone(const line_operator::specification& whole,
                                      const split_wish& wish) {
  return split(whole, value_type::f64, dense_lines(whole, kLines, false), wish);
}

TEST(SplitLines, PartsAreFewAndAlike) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const split_wish wish{512, 128, 2};
  const auto regular = split_alone(line_of(c6, 4096, boundary::regular), wish);
  ASSERT_TRUE(regular);
  ASSERT_EQ(regular->runs.size(), 1U);
  EXPECT_EQ(regular->parts(), 8);
  EXPECT_EQ(regular->part_points, 512);
  EXPECT_EQ(regular->slots, 8 * 4);                // the stencil reaches two points
  EXPECT_EQ(regular->sums.groups.size(), 7U + 2);  // the ends are as if they were borders
  // Borders far from the ends share their weights.
  EXPECT_LE(regular->sums.weights.size(), 5U * sum_group::most * 128);

  // Sums for the ends would cost more than a launch for each.
  const auto two = split_alone(line_of(c6, 1024, boundary::regular), wish);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->runs.size(), 2U);
  EXPECT_EQ(two->sums.groups.size(), 1U);

  // As many sums for the ends would have to be computed separately.
  const scheme c8 = find_scheme(quantity::first_derivative, "C8");
  const auto wider = split_alone(line_of(c8, 4096, boundary::regular), wish);
  ASSERT_TRUE(wider);
  ASSERT_EQ(wider->runs.size(), 3U);
  EXPECT_EQ(wider->runs[1].parts, 6);
  EXPECT_EQ(wider->slots, 7 * 6);

  // But they save launches, which matter more where lines are few.
  const line_operator::specification line = line_of(c8, 4096, boundary::regular);
  const auto together = split(line, value_type::f64, dense_lines(line, kLines, false),
                              {512, 128, 2, 4 * sum_group::most});
  ASSERT_TRUE(together);
  EXPECT_EQ(together->runs.size(), 1U);

  const auto periodic = split_alone(line_of(c6, 4096, boundary::periodic), wish);
  ASSERT_TRUE(periodic);
  ASSERT_EQ(periodic->runs.size(), 1U);
  EXPECT_EQ(periodic->runs[0].parts, 8);
  EXPECT_EQ(periodic->sums.groups.size(), 8U);

  const auto even = split_alone(line_of(c6, 2304, boundary::regular), wish);
  ASSERT_TRUE(even);
  EXPECT_EQ(even->runs.size(), 1U);
  EXPECT_EQ(even->part_points, 384);

  // Parts are about equally long.
  const auto equal = split_alone(line_of(c6, 1000, boundary::regular), {288, 128, 2});
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->part_points, 256);
  EXPECT_EQ(equal->parts(), 4);

  // The remainder is not made a part of its own if it is too short.
  const auto odd = split_alone(line_of(c6, 4100, boundary::regular), wish);
  ASSERT_TRUE(odd);
  EXPECT_GE(odd->runs.back().line.points, 128);
}

TEST(SplitLines, PartsOfTheMiddleAxisLieWithinTheSlowest) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const auto order_of = [&](index_t points, auto change) {
    const line_operator::specification whole = line_of(c6, points, boundary::regular);
    layout::geometry g = middle_lines(whole);
    change(g);
    return split(whole, value_type::f64, g, {512, 128, 2})->order;
  };
  const auto as_it_is = [](layout::geometry&) {};
  EXPECT_EQ(order_of(2048, as_it_is), part_order::within);
  EXPECT_EQ(order_of(2050, as_it_is), part_order::apart);  // the last part is shorter
  EXPECT_EQ(order_of(2048, [](auto& g) { ++g.right_sides.at[0].stride[layout::x]; }),
            part_order::apart);
}

void expect_one_sum_each(const line_operator::specification& whole) {
  for (const layout::geometry& g : all_lines(whole)) {
    for (const int axes : {1, 2}) {
      const auto s = split(whole, value_type::f64, g, {512, 512, axes});
      ASSERT_TRUE(s);
      std::vector<int> times(static_cast<std::size_t>(s->slots * kLines));
      for (const sum_group& sum : s->sums.groups)
        for (int j = 0; j < sum.sums; ++j)
          for (index_t l = 0; l < kLines; ++l)
            ++times[static_cast<std::size_t>(s->places.at(sum.slot[j], l))];
      EXPECT_EQ(times, std::vector<int>(times.size(), 1));
    }
  }
}

TEST(SplitLines, EachRowThatIsGivenHasOneSum) {
  for (const char* name : {"C6", "C8"}) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const index_t points : {2048, 3000}) {
        const scheme what = find_scheme(quantity::first_derivative, name);
        for (const auto& whole : {line_of(what, points, ends), adjoint_of_line(what, points, ends)})
          expect_one_sum_each(whole);
      }
    }
  }
}

TEST(SplitLines, PartsMakeUpTheWhole) {
  for (const scheme& s : all_schemes()) {
    if (s.quantity() == quantity::filter && s.name() != "F2" && s.name() != "F10") continue;
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const int axes : {1, 2})
        for (const index_t most_given : {4, 32})
          expect_split_agrees(line_of(s, 704, ends), {176, 704, axes, most_given},
                              s.name() + " " + std::string(name(s.staggering())));
    }
  }
}

/// Borders far from the ends have the same weights.
TEST(SplitLines, ManyParts) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  for (const int axes : {1, 2}) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      expect_split_agrees(line_of(c6, 4100, ends), {256, 128, axes}, "many");
      expect_split_agrees(adjoint_of_line(c6, 4100, ends), {256, 128, axes}, "many, adjoint");
    }
  }
}

/// Parts of an adjoint solve and gather in one pass: results that need the solution of two parts
/// are sums.
TEST(SplitLines, PartsOfAdjointsMakeUpTheWhole) {
  for (const scheme& s : all_schemes()) {
    if (s.quantity() == quantity::filter && s.name() != "F2" && s.name() != "F10") continue;
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      const auto whole = adjoint_at_once(line_of(s, 704, ends));
      if (!whole) continue;  // it has another number of results
      for (const int axes : {1, 2})
        for (const index_t most_given : {4, 32})
          expect_split_agrees(*whole, {176, 704, axes, most_given},
                              s.name() + " " + std::string(name(s.staggering())) + ", adjoint");
    }
  }
}

/// An adjoint's parts are what the reference has, which is not made of the same specification.
TEST(SplitLines, AdjointsAreThoseOfTheReference) {
  for (const auto& [quantity, name] :
       {std::pair{quantity::first_derivative, "C8"}, {quantity::filter, "F10"}}) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      const line_operator::specification line = line_of(find_scheme(quantity, name), 2100, ends);
      const layout::geometry g = dense_lines(line, kLines, false);
      std::vector<double> in(static_cast<std::size_t>(line.points * kLines)), expected(in), out(in);
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = std::sin(0.37 * static_cast<double>(i * i));
      const auto reference = make_reference(
          {line, value_type::f64, g, {.backend = backend::reference}, operation::transpose});
      std::vector<std::byte> workspace(reference->workspace_bytes());
      reference->apply(
          {in.data(), expected.data(), kScale, false, nullptr, workspace.data(), nullptr});
      const line_operator::specification adjoint = *adjoint_at_once(line);
      const auto s = split(adjoint, value_type::f64, g, {512, 512, 2});
      ASSERT_TRUE(s) << name;
      apply_split(*s, adjoint, g, in.data(), out.data(), false);
      double error = 0;
      for (std::size_t i = 0; i < out.size(); ++i)
        raise_error(error, std::abs(out[i] - expected[i]));
      EXPECT_LT(error, 1e-13) << name;
    }
  }
}

/// The scales of an adjoint come before its sums.
TEST(SplitLines, AdjointsWithAMetricStayWhole) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const auto whole = adjoint_at_once(line_of(c6, 4096, boundary::regular, true));
  ASSERT_TRUE(whole);
  EXPECT_FALSE(split_alone(*whole, {512, 128, 2}));
}

/// The split is made in double precision; the matrices are those of constant_parts_test.cpp, which
/// are in higher precision there.
TEST(SplitLines, OfAPlanOfConstants) {
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    problem p{.boundary = ends};
    p.matrix.interior = {1.0 / 3, 1, 1.0 / 3};
    if (ends == boundary::regular) p.matrix.head = {{0, 1, 2}}, p.matrix.tail = {{2, 1, 0}};
    for (const index_t n : {1024, 2048, 4100})
      for (const int axes : {1, 2})
        expect_split_agrees(solving_with(make_constant_matrix(p, n)), {512, 128, axes},
                            "constants");
  }
}

TEST(SplitLines, WithAMetric) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  for (const boundary ends : {boundary::regular, boundary::periodic})
    expect_split_agrees(line_of(c6, 1030, ends, true), {256, 256, 2}, "metric");
}

TEST(SplitLines, SlowDecayIsExactOrLeft) {
  const scheme slow = find_scheme(quantity::filter, "F10", staggering::none, 0.499);
  const line_operator::specification line = line_of(slow, 4096, boundary::regular);
  EXPECT_FALSE(split_alone(line, {512, 128, 2}));
  expect_split_agrees(line, {512, 2048, 2}, "alpha 0.499", 1e-13);
}

/// Weights of lines of more than 2^12 points are those of a shorter line with the same ends.
TEST(SplitLines, WeightsOfLongLinesComeFromAShorterOne) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const scheme staggered = find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints);
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const index_t n : {32768, 40001}) {
      expect_split_agrees(line_of(c6, n, ends), {2048, 512, 2}, "long");
      expect_split_agrees(adjoint_of_line(c6, n, ends), {2048, 512, 2}, "long, adjoint");
      expect_split_agrees(line_of(staggered, n, ends), {2048, 512, 2}, "long, staggered");
    }
    // The influence reaches so far that the shorter line must be longer, or is the line itself.
    const scheme slow = find_scheme(quantity::filter, "F10", staggering::none, 0.49999);
    const line_operator::specification line = line_of(slow, 40001, ends);
    EXPECT_FALSE(split_alone(line, {2048, 512, 2}));
    expect_split_agrees(line, {2048, 12000, 2}, "long, alpha 0.49999", 1e-12);
  }
  const auto longest =
      split_alone(line_of(c6, index_t{1} << 24, boundary::regular), {2048, 512, 2});
  ASSERT_TRUE(longest);
  EXPECT_EQ(longest->parts(), 1 << 13);
  EXPECT_LE(longest->sums.weights.size(), 5U * sum_group::most * 128);
}

TEST(SplitLines, ShortLinesStayWhole) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  EXPECT_FALSE(split_alone(line_of(c6, 100, boundary::regular), {512, 128, 2}));
  EXPECT_FALSE(split_alone(line_of(c6, 512, boundary::regular), {512, 128, 2}));
}

/// This includes lengths that nothing divides, and lines shorter than a part may be.
TEST(SplitLines, NoPartIsShort) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  for (const index_t most : {512, 2048}) {
    for (const index_t n : {131, 257, 400, 521, 577, 1031, 2053, 2111, 4099}) {
      const auto s = split_alone(line_of(c6, n, boundary::regular), {most, 4 * most, 2});
      EXPECT_EQ(bool(s), n > most) << n;
      if (!s) continue;
      for (const auto& r : s->runs) EXPECT_GE(r.line.points, 64) << n;
    }
  }
}

}  // namespace
}  // namespace tridia_test
