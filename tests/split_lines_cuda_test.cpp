// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for long lines that a GPU solves in parts: they compare operators, adjoints and
// calls that follow each other with the reference, or with calls one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/device_memory.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/raise_error.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

template <class T>
void expect_as_reference(const scheme& s, tridia::grid g, double bound) {
  g.type = value_type_of<T>;
  const std::string label = s.name() + " " + std::to_string(g.extents[g.axis]) + " " +
                            std::string(name(g.type)) +
                            (g.operation == operation::none ? "" : ", adjoint") +
                            (g.boundary == boundary::periodic ? ", periodic" : "");
  const compact_operator there(s, g, {.backend = backend::cuda});
  const compact_operator here(s, g, {.backend = backend::reference});
  std::vector<T> in(count_of(here.in_extents()));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i % 100003)));
  std::vector<T> expected(count_of(here.out_extents()), T(1)), out = expected;
  const auto compare = [&](const std::vector<T>& found, const char* how) {
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      raise_error(error,
                  std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    EXPECT_LT(error, bound * std::max(largest, 1.0)) << label << ' ' << how;  // points are 1
  };
  apply_anywhere(here, in, expected, -0.5);
  apply_anywhere(there, in, out, -0.5);
  compare(out, "added");
  apply_anywhere(here, in, expected);
  apply_anywhere(there, in, out);
  compare(out, "apart");
  if (in.size() != out.size()) return;
  apply_anywhere(there, in, in);
  compare(in, "in place");
}

/// A GPU splits lines of these lengths, contiguous and interleaved, and is compared with the
/// reference.
void expect_parts_as_reference(boundary ends, operation how) {
  if (!have_gpu()) GTEST_SKIP();
  struct length {
    std::vector<index_t> extents;
    int axis;
  };
  const length lengths[] = {{{1024, 200}, 0},      {{2048, 64}, 0},    {{4096, 64}, 0},
                            {{20000, 33}, 0},      {{5, 20000}, 1},    {{3, 4100, 32}, 1},
                            {{2, 2, 1100, 64}, 2}, {{2, 3, 30011}, 2}, {{1 << 18}, 0},
                            {{3, 100007}, 1},      {{50001, 5}, 0},    {{4900, 7}, 0},
                            {{2340, 7}, 0},        {{4901, 7}, 0},     {{30000, 3}, 0},
                            {{40, 300, 7}, 1},     {{3, 2048, 5}, 1},  {{2048, 31}, 0}};
  for (const length& l : lengths) {
    tridia::grid g;
    g.extents = l.extents, g.axis = l.axis, g.boundary = ends, g.operation = how;
    for (const scheme& s : all_schemes()) {
      const bool also = how != operation::none && s.name() == "C8";
      if (s.name() != "C6" && s.name() != "F10" && !also) continue;
      expect_as_reference<double>(s, g, 1e-13);
      expect_as_reference<float>(s, g, 5e-5);
    }
    expect_as_reference<double>(find_scheme(quantity::filter, "F10", staggering::none, 0.499), g,
                                1e-12);
  }
}

TEST(SplitLinesCuda, RegularOnesAgreeWithTheReference) {
  expect_parts_as_reference(boundary::regular, operation::none);
}
TEST(SplitLinesCuda, PeriodicOnesAgreeWithTheReference) {
  expect_parts_as_reference(boundary::periodic, operation::none);
}
TEST(SplitLinesCuda, AdjointsAgreeWithTheReference) {
  expect_parts_as_reference(boundary::regular, operation::transpose);
}
TEST(SplitLinesCuda, PeriodicAdjointsAgreeWithTheReference) {
  expect_parts_as_reference(boundary::periodic, operation::transpose);
}

/// Parts at the ends of lines of so many points are not made like all others.
TEST(SplitLinesCuda, ManyPointsAgreeWithTheReference) {
  if (!have_gpu()) GTEST_SKIP();
  tridia::grid g;
  for (const operation how : {operation::none, operation::transpose}) {
    g.operation = how;
    for (const auto& [quantity, name] :
         {std::pair{quantity::first_derivative, "C8"}, {quantity::filter, "F10"}}) {
      for (const std::vector<index_t>& extents : {std::vector<index_t>{3, 700'001}, {80, 32'768}}) {
        g.extents = extents;
        expect_as_reference<double>(find_scheme(quantity, name), g, 1e-13);
        expect_as_reference<float>(find_scheme(quantity, name), g, 5e-5);
      }
      g.extents = {4096, 520}, g.axis = 0;
      expect_as_reference<float>(find_scheme(quantity, name), g, 5e-5);
      g.axis = -1;
    }
  }
}

/// A value that is not finite spoils what is near it, on both sides of a border, and its line
/// alone.
TEST(SplitLinesCuda, LinesOfAdjointsDoNotTouchEachOther) {
  if (!have_gpu()) GTEST_SKIP();
  constexpr index_t points = 40000, line = 1;
  for (const char* const name : {"C6", "C8"}) {
    for (const int axis : {0, 1}) {
      tridia::grid g;
      g.extents = axis == 0 ? std::vector{points, index_t{3}} : std::vector{index_t{3}, points};
      g.axis = axis;
      g.operation = operation::transpose;
      const compact_operator there(find_scheme(quantity::first_derivative, name), g,
                                   {.backend = backend::cuda});
      EXPECT_EQ(there.description().find("steps"), std::string::npos) << there.description();
      const auto at = [&](index_t l, index_t k) {
        return static_cast<std::size_t>(axis == 0 ? k * 3 + l : l * points + k);
      };
      std::vector<double> in(3 * points);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.37 * static_cast<double>(i));
      std::vector<double> clean(in), out(in);
      apply_anywhere(there, in, clean);
      for (const index_t bad : {0, 399, 400, 3999, 4000, 20480, 39999}) {
        std::vector<double> spoilt = in;
        spoilt[at(line, bad)] = std::nan("");
        apply_anywhere(there, spoilt, out);
        for (index_t k = 0; k < points; ++k) {
          for (const index_t l : {0, 2})
            ASSERT_EQ(out[at(l, k)], clean[at(l, k)]) << name << ' ' << axis << ' ' << k;
          if (std::abs(k - bad) <= 8) {
            ASSERT_TRUE(std::isnan(out[at(line, k)])) << name << ' ' << bad << ' ' << k;
          }
        }
      }
    }
  }
}

/// Sums begin the launch of the scan that needs them, and that one the next scan: operators in
/// place that follow each other give what they give one by one.
TEST(SplitLinesCuda, FollowEachOther) {
  if (!have_gpu()) GTEST_SKIP();
  struct field {
    std::vector<index_t> extents;
    int axis;
  };
  const field fields[] = {{{16384}, 0},    {{1 << 20}, 0},   {{3, 30011}, 1},   {{2340, 7}, 0},
                          {{4096, 64}, 0}, {{20000, 33}, 0}, {{3, 4100, 32}, 1}};
  const auto check = [&](const field& f, boundary ends, auto zero) {
    using T = decltype(zero);
    tridia::grid g;
    g.type = std::is_same_v<T, float> ? value_type::f32 : value_type::f64;
    g.extents = f.extents, g.axis = f.axis, g.boundary = ends;
    const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g,
                              {.backend = backend::cuda});
    std::size_t elements = 1;
    for (const index_t n : f.extents) elements *= static_cast<std::size_t>(n);
    std::vector<T> in(elements), together(elements), apart(elements);
    for (std::size_t i = 0; i < elements; ++i)
      in[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i % 100003)));
    const std::size_t bytes = elements * sizeof(T);
    const device_bytes at = allocate_on_device(bytes);
    const device_bytes workspace = allocate_on_device(op.workspace_bytes());
    const auto apply_some = [&](std::vector<T>& out, bool waits) {
      copy_to_device(at.get(), in.data(), bytes);
      for (int k = 0; k < 5; ++k) {
        op.apply(static_cast<const void*>(at.get()), static_cast<void*>(at.get()),
                 {.workspace = workspace.get(), .workspace_bytes = op.workspace_bytes()});
        if (waits) wait_for(nullptr);
      }
      copy_to_host(out.data(), at.get(), bytes);
    };
    apply_some(apart, true);
    for (int k = 0; k < 10; ++k) {
      apply_some(together, false);
      ASSERT_EQ(together, apart) << f.extents.front() << ' ' << f.extents.size();
    }
  };
  for (const field& f : fields) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      check(f, ends, float{});
      check(f, ends, double{});
    }
  }
}

}  // namespace
}  // namespace tridia_test
