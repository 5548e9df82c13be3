// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Plans of constants whose lines a GPU cuts into parts: that parts make up the whole, whatever the
// matrix, that a line's status is found in those of its parts, and both on a GPU against the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "line_operator/merged_status.hpp"
#include "line_operator/split_lines.hpp"
#include "support/dense_lines.hpp"
#include "support/device_memory.hpp"
#include "support/experiment.hpp"
#include "support/raise_error.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::near_toeplitz;
using tridia::operation;
using tridia::problem;
using tridia::value_type;
namespace line_operator = tridia::line_operator;
using field = std::vector<line_operator::wide>;

/// Returns the left side of the sixth-order first derivative, with its closures 3-4 (Lele 1992).
near_toeplitz with_closures() {
  return {.interior = {1.0 / 3, 1, 1.0 / 3},
          .head = {{7, 1, 2}, {0.25, 1, 0.25}},
          .tail = {{0.25, 1, 0.25}, {2, 1, 7}}};
}

line_operator::constant_matrix matrix(const near_toeplitz& a, index_t n, boundary ends,
                                      operation how) {
  problem p{.type = value_type::c128};
  p.boundary = ends;
  p.operation = how;
  p.matrix = a;
  return line_operator::make_constant_matrix(p, n);
}

field solved(const line_operator::constant_matrix& a, field rhs) {
  const auto partial = tridia::pivoting::partial;
  return line_operator::solve(line_operator::factor(a, partial), std::move(rhs));
}

std::complex<double> number(const line_operator::wide& v) {
  return {static_cast<double>(v.re.v), static_cast<double>(v.im.v)};
}

/// Solves the parts of one line, each by itself.
field solved_in_parts(const line_operator::line_split& s, const field& rhs) {
  const auto n = static_cast<index_t>(rhs.size());
  field slots(static_cast<std::size_t>(s.slots), line_operator::wide(0)), x = rhs;
  for (const line_operator::sum_group& g : s.sums.groups) {
    for (index_t k = 0; k < g.count; ++k) {
      for (int j = 0; j < g.sums; ++j) {
        line_operator::wide& sum = slots[static_cast<std::size_t>(g.slot[j])];
        const index_t weight = g.weights + line_operator::sum_group::most * k + j;
        sum = sum + s.sums.weights[static_cast<std::size_t>(weight)] *
                        rhs[static_cast<std::size_t>((g.first + k) % n)];
      }
    }
  }
  for (const line_operator::part_run& r : s.runs) {
    for (int p = 0; p < r.parts; ++p) {
      const auto begin = rhs.begin() + r.row + p * s.part_points;
      field part(begin, begin + r.line.rows);
      for (index_t k = 0; k < r.line.rows; ++k) {
        const index_t prescribed = r.line.prescribed_number(k);
        if (prescribed < 0) continue;
        part[static_cast<std::size_t>(k)] =
            slots[static_cast<std::size_t>(r.slot + prescribed * r.parts + p)];
      }
      part = solved(line_operator::matrix_of(r.line), part);
      std::copy(part.begin(), part.end(), x.begin() + r.row + p * s.part_points);
    }
  }
  return x;
}

void expect_parts_agree(const near_toeplitz& prescribed, index_t n, boundary ends, operation how,
                        std::size_t runs) {
  const std::string label = std::to_string(n) + ' ' + std::string(name(ends)) + ' ' +
                            std::to_string(static_cast<int>(how));
  const line_operator::constant_matrix a = matrix(prescribed, n, ends, how);
  const line_operator::specification whole = line_operator::solving_with(a);
  const auto s =
      line_operator::split(whole, value_type::f64, dense_lines(whole, 1, false), {512, 128, 2});
  ASSERT_TRUE(s) << label;
  EXPECT_EQ(s->runs.size(), runs) << label;
  rng random = random_for("parts");
  field rhs;
  for (index_t k = 0; k < n; ++k) {
    const wide v = draw_number(random, value_type::c128);
    rhs.push_back({tridia::core::extended(v.real()), tridia::core::extended(v.imag())});
  }
  const field expected = solved(a, rhs), x = solved_in_parts(*s, rhs);
  double error = 0, largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    largest = std::max(largest, std::abs(number(expected[k])));
    raise_error(error, std::abs(number(x[k]) - number(expected[k])));
  }
  EXPECT_LT(error, std::numeric_limits<double>::epsilon() * largest) << label;
}

// All parts take one launch, except a last one that is shorter.
TEST(ConstantParts, MakeUpTheWhole) {
  const near_toeplitz lopsided{.interior = {{0.2, 0.3}, {1.5, -1}, {-0.5, 0.1}},
                               .head = {{9, 2, {0, 1}}},
                               .tail = {{0.5, 3, 0.25}, {1, 2, 9}}};
  const near_toeplitz plain{.interior = {1, 4, 1}};
  for (const operation how :
       {operation::none, operation::transpose, operation::conjugate_transpose}) {
    expect_parts_agree(plain, 1024, boundary::regular, how, 1);
    expect_parts_agree(with_closures(), 1024, boundary::regular, how, 2);
    for (const index_t n : {2048, 4100}) {
      const std::size_t uneven = n == 2048 ? 0 : 1;
      expect_parts_agree(plain, n, boundary::regular, how, 1 + uneven);
      expect_parts_agree(plain, n, boundary::periodic, how, 1 + uneven);
      // In the transposed matrix, one more row at either end has coefficients of its own.
      const bool wide = how != operation::none;
      expect_parts_agree(with_closures(), n, boundary::regular, how, wide ? 3 : 1 + uneven);
      expect_parts_agree(lopsided, n, boundary::regular, how, wide ? 3 : 1 + uneven);
      expect_parts_agree(lopsided, n, boundary::periodic, how, 3);
    }
  }
}

TEST(ConstantParts, TheMatrixStaysWhatItIs) {
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const operation how : {operation::none, operation::conjugate_transpose}) {
      for (const index_t n : {3, 4, 7, 200}) {
        near_toeplitz prescribed{.interior = {{0.2, 0.3}, {1.5, -1}, {-0.5, 0.1}}};
        prescribed.head = {{9, 2, {0, 1}}}, prescribed.tail = {{1, 2, 9}};
        const line_operator::constant_matrix a = matrix(prescribed, n, ends, how);
        const line_operator::specification made = line_operator::solving_with(a);
        const line_operator::constant_matrix same = line_operator::matrix_of(made);
        EXPECT_EQ(same.boundary, a.boundary);
        EXPECT_LE(made.matrix.head.size() + made.matrix.tail.size(), 4U);
        ASSERT_EQ(same.rows.size(), a.rows.size());
        for (std::size_t k = 0; k < a.rows.size(); ++k) {
          EXPECT_EQ(number(same.rows[k].sub), number(a.rows[k].sub)) << n << ' ' << k;
          EXPECT_EQ(number(same.rows[k].diag), number(a.rows[k].diag)) << n << ' ' << k;
          EXPECT_EQ(number(same.rows[k].sup), number(a.rows[k].sup)) << n << ' ' << k;
        }
      }
    }
  }
}

TEST(ConstantParts, WithoutDecayThereAreNone) {
  const line_operator::specification slow = line_operator::solving_with(
      matrix({.interior = {-1, 2, -1}}, 4096, boundary::regular, operation::none));
  EXPECT_FALSE(
      line_operator::split(slow, value_type::f64, dense_lines(slow, 1, false), {512, 2048, 2}));
}

TEST(MergedStatus, IsOfTheRightHandSideFirst) {
  constexpr index_t parts = 3, part_rows = 10, after = 1000;
  // These are the statuses of each line, part after part.
  const std::vector<index_t> of_parts{0,   -(after + 1), -(after + 3),
                                      0,
                                      -10,  //
                                      0,   -4,           0,
                                      0,
                                      -1,  //
                                      0,   -2,           -(after + 1),
                                      -3,  -(after + 1)};
  const std::vector<index_t> expected{0, -(10 + 4), -3, -(20 + 3), -10};
  tridia::layout::axes lines{1, 5, {}};
  lines.at[0].extent = 5;
  lines.at[0].stride[tridia::layout::status] = 1;
  std::vector<index_t> found(5, 77);
  line_operator::status_merge join{lines,     of_parts.data(), {5, 0}, parts,
                                   part_rows, after,           false,  found.data()};
  for (index_t l = 0; l < lines.size; ++l) join(l, l);
  EXPECT_EQ(found, expected);

  // All lines share one status.
  index_t one = 0;
  join.lines.at[0].stride[tridia::layout::status] = 0;
  join.shared = true, join.to = &one;
  for (index_t l = 0; l < lines.size; ++l) join(l, l);
  EXPECT_EQ(one, -3);

  // There are two blocks of two lines; the parts of one block come before those of the other.
  const std::vector<index_t> within{0, -1, -2, 0, 0, 0, 0, 0, 0, 0, -5, -6};
  lines.at[0].extent = lines.size = 4;
  found.assign(4, 77);
  const line_operator::status_merge blocks{lines,     within.data(), {2, 6}, parts,
                                           part_rows, after,         false,  found.data()};
  for (index_t l = 0; l < lines.size; ++l) blocks(l, l);
  EXPECT_EQ(found, (std::vector<index_t>{-12, -1, -25, -26}));
}

struct shape {
  std::vector<index_t> extents;
  int axis;
  std::vector<index_t> strides;
};

/// Returns shapes of interleaved lines that are cut if no block holds them (from 4441 rows on:
/// ScanShape.LeavesTheRest): dense and padded, with the TMA and without it, with an outer axis and
/// without.
std::vector<shape> shapes_across(index_t n) {
  return {{{n, 32}, 0, {}},
          {{n, 33}, 0, {}},
          {{n, 32}, 0, {40, 1}},
          {{3, n, 32}, 1, {}},
          {{2, n, 32}, 1, {32 * n + 64, 32, 1}}};
}

problem problem_of(const shape& s, value_type type, boundary ends) {
  problem p{.type = type, .extents = s.extents, .axis = s.axis};
  p.boundary = ends;
  p.coefficients = tridia::coefficients::constant;
  p.matrix = with_closures();
  if (ends == boundary::periodic) p.matrix.head.clear(), p.matrix.tail.clear();
  p.rhs_strides = p.x_strides = s.strides;
  return p;
}

void fill(experiment& e) {
  rng random = random_for("constant parts");
  e.fill_matrices(random);
  e.fill_rhs(random);
}

/// Compares some systems of `e`, which has run, with those that the CPU finds.
std::string difference_from_cpu(const experiment& e) {
  experiment here(e.problem(), {.backend = tridia::backend::cpu});
  fill(here);
  if (const std::string wrong = here.run(); !wrong.empty()) return wrong;
  const index_t systems = e.where().systems();
  const index_t n = e.problem().extents[static_cast<std::size_t>(e.problem().axis)];
  for (index_t s = 0; s < systems; s += 1 + systems / 20) {
    long double error = 0, largest = 0;
    for (index_t k = 0; k < n; ++k) {
      raise_error(error, std::abs(e.solution(s, k) - here.solution(s, k)));
      largest = std::max(largest, std::abs(here.solution(s, k)));
    }
    if (error <= 24 * epsilon(e.problem().type) * largest) continue;
    return "system " + std::to_string(s) + " is off by " +
           std::to_string(static_cast<double>(error / largest)) + ", " + e.plan().reason();
  }
  return "";
}

bool is_cut(const experiment& e) { return e.plan().reason().find("in parts") != std::string::npos; }

/// Returns whether this GPU scans at all.
bool scans() {
  const experiment e(problem_of({{256, 32}, 0, {}}, value_type::f64, boundary::regular),
                     {.backend = tridia::backend::cuda});
  return e.plan().reason().find("scan") != std::string::npos;
}

TEST(ConstantPartsCuda, AgreesWithTheCpu) {
  if (!have_gpu()) GTEST_SKIP();
  const bool cut = scans();
  bool in_place = false;
  const auto check = [&](const shape& s, value_type type, boundary ends, bool expect_cut) {
    in_place = !in_place;
    run_options m{.backend = tridia::backend::cuda};
    if (in_place) m.alias = role::rhs;
    experiment e(problem_of(s, type, ends), m);
    if (cut && expect_cut) {
      EXPECT_TRUE(is_cut(e)) << e.plan().reason();
    }
    fill(e);
    EXPECT_EQ(e.run(), "");
    EXPECT_EQ(difference_from_cpu(e), "")
        << describe(e.problem()) << (in_place ? " in place" : " apart");
    EXPECT_EQ(e.status(), std::vector<index_t>(e.status().size()));
  };
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const index_t n : {4500, 4608, 4610, 9000, 20000}) {
      const bool many = n > 4610;
      for (const value_type type : kTypes) {
        if (many && is_complex(type)) continue;
        for (const shape& s : shapes_across(n)) check(s, type, ends, true);
        check({{3, n, 5}, 1, {}}, type, ends, many);  // few beside each other
      }
      for (const bool apart : {false, true}) {  // in place and not
        in_place = apart;
        check({{3, n}, 1, {}}, value_type::f64, ends, n > 9000);
        check({{3, n}, 1, {n + 7, 1}}, value_type::f64, ends, n > 9000);
        check({{2, 40010}, 1, {}}, value_type::f32, ends, true);
      }
    }
  }
}

// These matrices are periodic with rows of their own, whose whole lines are not scanned, or
// transposed.
TEST(ConstantPartsCuda, OfOtherMatrices) {
  if (!have_gpu()) GTEST_SKIP();
  const bool cut = scans();
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const operation how : {operation::none, operation::transpose}) {
      for (const shape& s : shapes_across(4100)) {
        problem p = problem_of(s, value_type::f64, ends);
        p.matrix = {.interior = {-0.4, 1.5, 0.3}, .head = {{0.5, 2, 0.25}}, .tail = {{1, 2, 0.1}}};
        p.operation = how;
        experiment e(p, {.backend = tridia::backend::cuda});
        if (cut) {
          EXPECT_TRUE(is_cut(e)) << e.plan().reason();
        }
        fill(e);
        EXPECT_EQ(e.run(), "");
        EXPECT_EQ(difference_from_cpu(e), "") << describe(p);
      }
    }
  }
}

TEST(ConstantPartsCuda, NamesTheRowOfTheLine) {
  if (!have_gpu()) GTEST_SKIP();
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const auto check = [&](const shape& s, boundary ends, index_t sides) {
    problem p = problem_of(s, value_type::f64, ends);
    p.right_hand_sides = sides;
    if (sides > 1 && !s.strides.empty())
      p.rhs_step = p.x_step = s.extents.front() * s.strides.front();
    const index_t n = s.extents[static_cast<std::size_t>(s.axis)];
    // The bad rows are at borders of parts of 496, 512 and 2048 rows, and between; two are in one
    // line.
    const index_t rows[] = {0,    1,    7,     30,      250,     494,     495,   496,  497,  510,
                            511,  512,  513,   550,     991,     992,     1023,  1024, 2000, 2047,
                            2048, 2049, n / 2, n - 140, n - 133, n - 132, n - 2, n - 1};
    experiment good(p, {.backend = tridia::backend::cuda});
    experiment bad(p, {.backend = tridia::backend::cuda});
    fill(good), fill(bad);
    std::vector<index_t> expected(static_cast<std::size_t>(good.where().systems()));
    index_t next = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const auto system = static_cast<index_t>(k);
      if (k % 4 == 0) continue;
      const index_t row = rows[next++ % std::ssize(rows)];
      bad.set(role::rhs, system, row, k % 2 == 0 ? nan : infinity, sides - 1);
      if (k % 4 == 3) bad.set(role::rhs, system, std::min(row + 700, n - 1), nan, 0);
      expected[k] = -(row + 1);
    }
    EXPECT_EQ(good.run(), "");
    EXPECT_EQ(bad.run(), "");
    EXPECT_EQ(good.status(), std::vector<index_t>(expected.size()));
    EXPECT_EQ(bad.status(), expected) << describe(p) << ' ' << bad.plan().reason();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const auto system = static_cast<index_t>(k);
      if (expected[k] == 0) {
        EXPECT_EQ(bad.solution_bytes(system), good.solution_bytes(system)) << describe(p) << k;
      }
    }
  };
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    for (const index_t sides : {1, 2}) {
      for (const index_t n : {4096, 4100})
        for (const shape& s : shapes_across(n)) check(s, ends, sides);
      check({{40, 20000}, 1, {}}, ends, sides);
    }
  }
}

TEST(ConstantPartsCuda, IsCapturedInAGraph) {
  if (!have_gpu()) GTEST_SKIP();
  const stream_handle stream = make_stream();
  for (const shape& s : shapes_across(4100)) {
    experiment e(problem_of(s, value_type::f64, boundary::regular),
                 {.backend = tridia::backend::cuda, .stream = stream.get()});
    fill(e);
    e.give();
    captured_graph graph(stream.get(), [&] { e.enqueue(); });
    for (int replay = 0; replay < 2; ++replay) {
      e.give();
      graph.replay();
      EXPECT_EQ(e.take(), "");
      EXPECT_EQ(difference_from_cpu(e), "");
    }
  }
}

}  // namespace
}  // namespace tridia_test
