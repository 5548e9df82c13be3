// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of compact operators: every width of stencil, lines moved in every way,
// whole or in parts, and B and A one after the other if no scan is possible. The CPU gives the
// expected results.
#include "tridia/compact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "small/kernels.hpp"
#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

const kernel kScan{"scan", "scan_kernel"};
const kernel kForEach{"split_scan", "for_each_kernel"};
const kernel kShort{"short_lines", "lines_in_a_row_kernel"};
const kernel kShortNeighbours{"short_lines", "neighbouring_lines_kernel"};
const kernel kStencil{"plain", "stencil_kernel"}, kFinish{"plain", "finish_kernel"};

struct operator_case {
  std::string name;
  tridia::scheme scheme;
  tridia::grid grid;
  std::vector<kernel> kernels;
};
void PrintTo(const operator_case& c, std::ostream* out) { *out << c.name; }

grid lines(std::vector<index_t> extents, int axis) {
  grid g;
  g.extents = std::move(extents), g.axis = axis;
  return g;
}

void add(std::vector<operator_case>& all, const std::string& label, const scheme& s, grid g,
         const std::vector<kernel>& kernels) {
  for (const value_type type : {value_type::f32, value_type::f64})
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      g.type = type, g.boundary = ends;
      all.push_back(
          {label + '_' + std::string(name(type)) + '_' + std::string(name(ends)), s, g, kernels});
    }
}

void add_schemes(std::vector<operator_case>& all) {
  const struct {
    const char* label;
    quantity what;
    const char* name;
  } schemes[] = {
      {"narrow", quantity::first_derivative, "C4"}, {"first", quantity::first_derivative, "C6"},
      {"wide", quantity::first_derivative, "C8"},   {"second", quantity::second_derivative, "C6"},
      {"third", quantity::third_derivative, "C6"},  {"fourth", quantity::fourth_derivative, "C6"},
      {"filter", quantity::filter, "F10"}};
  for (const auto& s : schemes) {
    const scheme found = find_scheme(s.what, s.name);
    add(all, s.label, found, lines({7, 40}, 1), {kScan});
    add(all, std::string(s.label) + "_interleaved", found, lines({40, 36}, 0), {kScan});
  }
  for (const auto where : {staggering::to_midpoints, staggering::to_points}) {
    const std::string label = where == staggering::to_points ? "to_points" : "to_midpoints";
    add(all, label, find_scheme(quantity::first_derivative, "C6", where), lines({5, 60}, 1),
        {kScan});
    add(all, label + "_interleaved", find_scheme(quantity::interpolation, "C6", where),
        lines({60, 20}, 0), {kScan});
  }
}

void add_lines(std::vector<operator_case>& all) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  // Periodic lines have separate room around these.
  for (const index_t n : {24, 27, 31}) {
    add(all, "rows_" + std::to_string(n), c6, lines({9, n}, 1), {kScan});
  }
  add(all, "one_by_one", c6, lines({7, 51}, 1), {kScan});
  add(all, "long", c6, lines({3, 1000}, 1), {kScan});
  add(all, "middle", c6, lines({3, 70, 9}, 1), {kScan});
  add(all, "parts", c6, lines({2400, 32}, 0), {kScan, kForEach});
  add(all, "parts_along", c6, lines({2, 40'010}, 1), {kScan, kForEach});
  // Rows and lines that begin anywhere.
  add(all, "anywhere", c6, lines({5, 203}, 1), {kScan});
  add(all, "anywhere_long", c6, lines({3, 4999}, 1), {kScan});
  add(all, "anywhere_parts", c6, lines({3, 20'001}, 1), {kScan, kForEach});
  add(all, "anywhere_interleaved", c6, lines({41, 1003}, 0), {kScan});
  add(all, "anywhere_middle", c6, lines({5, 43, 71}, 1), {kScan});
  add(all, "anywhere_short", c6, lines({18, 1301}, 0), {kScan});
  // Lines of up to 16 points are multiplied with one dense matrix.
  add(all, "rows_6", c6, lines({300, 6}, 1), {kShort});
  add(all, "rows_6_interleaved", c6, lines({6, 150}, 0), {kShortNeighbours});
  add(all, "rows_16", c6, lines({30, 16}, 1), {kShort});
  add(all, "rows_16_interleaved", c6, lines({16, 30}, 0), {kShortNeighbours});
  add(all, "short", c6, lines({30, 18}, 1), {kScan});
  add(all, "short_interleaved", c6, lines({18, 32}, 0), {kScan});
  add(all, "few_neighbours", c6, lines({20, 7}, 0), {kStencil, kFinish});
  grid stretched = lines({7, 50}, 1);
  stretched.metric.assign(50, 0.25);
  stretched.fields = 2;
  add(all, "metric", c6, stretched, {kScan});
}

/// Adds adjoints: B comes last.
void add_adjoints(std::vector<operator_case>& all) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  grid g = lines({7, 40}, 1);
  g.operation = operation::transpose;
  add(all, "adjoint", c6, g, {kScan});
  g.metric.assign(40, 0.25);
  add(all, "adjoint_metric", c6, g, {kScan});
  g = lines({12, 30}, 0);
  g.operation = operation::transpose;
  add(all, "adjoint_rows_12", c6, g, {kShortNeighbours});
  g.extents = {18, 32};
  add(all, "adjoint_interleaved", c6, g, {kScan});
  g.extents = {41, 1003};
  add(all, "adjoint_anywhere_interleaved", c6, g, {kScan});
  g.extents = {20, 7};
  add(all, "adjoint_few_neighbours", c6, g, {kStencil, kFinish});
  g = lines({9, 41}, 1);
  g.operation = operation::transpose;
  add(all, "adjoint_filter", find_scheme(quantity::filter, "F10"), g, {kScan});
}

void add_mirrors(std::vector<operator_case>& all) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  grid g = lines({7, 40}, 1);
  for (const end_condition end : {end_condition::symmetric, end_condition::antisymmetric_half}) {
    g.head = g.tail = end;
    for (const value_type type : {value_type::f32, value_type::f64}) {
      g.type = type;
      all.push_back(
          {"mirror_" + std::string(name(end)) + '_' + std::string(name(type)), c6, g, {kScan}});
    }
  }
}

std::vector<operator_case> cases() {
  std::vector<operator_case> all;
  if (!have_gpu()) return all;
  add_schemes(all);
  add_lines(all);
  add_adjoints(all);
  add_mirrors(all);
  return all;
}

template <class T>
std::vector<T> waves(std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i)));
  return all;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected) {
  // Second differences cancel: errors of some 60 epsilons of the largest derivative occur.
  constexpr double bound = 256 * std::numeric_limits<T>::epsilon();
  double largest = 0;
  for (const T v : expected) largest = std::max(largest, std::fabs(static_cast<double>(v)));
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_LE(std::fabs(static_cast<double>(found[k]) - static_cast<double>(expected[k])),
              bound * largest)
        << "at " << k;
}

template <class T>
void expect_as_on_cpu(const operator_case& c) {
  const compact_operator here(c.scheme, c.grid),
      there(c.scheme, c.grid, {.backend = backend::cuda});
  const auto in = waves<T>(count_of(c.grid.extents, c.grid.fields));
  std::vector<T> expected(count_of(here.out_extents(), c.grid.fields)), found(expected);
  apply_anywhere(here, in, expected);
  apply_anywhere(there, in, found);
  expect_near(found, expected);
  apply_anywhere(here, in, expected, 0.5);
  apply_anywhere(there, in, found, 0.5);
  expect_near(found, expected);
  if (in.size() != expected.size()) return;
  std::vector<T> field = in, other = in;
  apply_anywhere(here, field, field);
  apply_anywhere(there, other, other);
  expect_near(other, field);
}

/// Checks the kernels that applying an operator launches; nothing is run.
void expect_case_kernels(const operator_case& c) {
  const compact_operator op(c.scheme, c.grid, {.backend = backend::cuda});
  const std::size_t size = size_of(c.grid.type);
  const device_bytes in = allocate_on_device(count_of(c.grid.extents, c.grid.fields) * size),
                     out = allocate_on_device(count_of(op.out_extents(), c.grid.fields) * size),
                     workspace = allocate_on_device(op.workspace_bytes());
  const stream_handle stream = make_stream();
  expect_kernels(stream.get(), c.kernels, [&] {
    op.apply(static_cast<const void*>(in.get()), static_cast<void*>(out.get()),
             {.workspace = workspace.get(),
              .workspace_bytes = op.workspace_bytes(),
              .stream = stream.get()});
  });
}

class SmallCompact : public ::testing::TestWithParam<operator_case> {};

TEST_P(SmallCompact, AsOnTheCpu) {
  GetParam().grid.type == value_type::f32 ? expect_as_on_cpu<float>(GetParam())
                                          : expect_as_on_cpu<double>(GetParam());
  if (!HasFatalFailure()) expect_case_kernels(GetParam());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallCompact);
INSTANTIATE_TEST_SUITE_P(All, SmallCompact, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tridia_test
