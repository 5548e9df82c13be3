// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check what is particular about third and fourth derivatives: their closures, the
// power of the spacing, and how much they amplify what is wrong with a field's values. All that
// holds for every scheme is asked of them in compact_test.cpp and scheme_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/refusal.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

/// Holds a quantity and which derivative it is.
struct derivative {
  quantity what;
  int order;
};
constexpr derivative high_derivatives[] = {{quantity::third_derivative, 3},
                                           {quantity::fourth_derivative, 4}};

grid line_grid(index_t points, double spacing) {
  grid g;
  g.extents = {points};
  g.spacing = spacing;
  return g;
}

std::vector<double> apply_to_line(const compact_operator& op, const std::vector<double>& in) {
  std::vector<double> out(in.size(), std::nan(""));
  apply_anywhere(op, in, out);
  return out;
}

/// Elimination meets no pivot that is small, whatever the closure: no row lacks dominance, and all
/// but row 2 of a third derivative (1/2, 1, 1/2) have more.
TEST(CompactHighDerivatives, MatricesAreDiagonallyDominant) {
  for (const derivative& d : high_derivatives) {
    for (const std::string& name : scheme_names(d.what)) {
      const scheme s = find_scheme(d.what, name);
      const auto excess = [](const compact_row& r) {
        return std::abs(r.diag) - std::abs(r.sub) - std::abs(r.sup);
      };
      EXPECT_GE(excess(s.interior()), 0.125);
      for (const std::string& text : all_closures(s)) {
        const closure c = find_closure(s, text);
        for (std::size_t k = 0; k < c.head().size(); ++k) {
          const bool is_equal = d.order == 3 && k == 2;
          EXPECT_GE(excess(c.head()[k]), is_equal ? 0 : 0.125) << text << ' ' << k;
        }
      }
    }
  }
}

/// Multiplying the spacing by a power of two moves no rounding.
TEST(CompactHighDerivatives, GoWithThePowerOfTheSpacing) {
  const index_t points = 32;
  std::vector<double> in(points);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = std::sin(0.3 * double(k)) + double(k % 3);
  for (const derivative& d : high_derivatives) {
    const scheme s = find_scheme(d.what, "C6");
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const backend where : every_backend()) {
        grid g = line_grid(points, 1);
        g.boundary = ends;
        const auto unit = apply_to_line({s, g, {.backend = where}}, in);
        for (const double h : {0.25, -0.25, 1024.0}) {
          g.spacing = h;
          auto scaled = apply_to_line({s, g, {.backend = where}}, in);
          for (std::size_t k = 0; k < in.size(); ++k) {
            EXPECT_EQ(scaled[k], unit[k] / std::pow(h, d.order)) << d.order << ' ' << h << ' ' << k;
          }
        }
      }
    }
  }
}

/// The docs say how much a result of a line of 40 points moves, times h^q, where values are wrong
/// by up to 1: the sums of the magnitudes of rows of A^-1 B.
TEST(CompactHighDerivatives, AmplifyErrorsAsTheDocsSay) {
  const index_t points = 40;
  const auto gains_of = [&](const scheme& s, const std::string& ends) {
    const compact_operator op(s, find_closure(s, ends), line_grid(points, 1));
    std::vector<double> gains(points, 0);
    for (std::size_t j = 0; j < gains.size(); ++j) {
      std::vector<double> unit(points, 0);
      unit[j] = 1;
      const auto column = apply_to_line(op, unit);
      for (std::size_t i = 0; i < gains.size(); ++i) gains[i] += std::abs(column[i]);
    }
    return gains;
  };
  const auto expect_gains = [&](quantity what, const char* name, const char* ends, double at_end,
                                double inside) {
    const auto gains = gains_of(find_scheme(what, name), ends);
    EXPECT_NEAR(*std::max_element(gains.begin(), gains.end()), at_end, 0.5) << name << ' ' << ends;
    EXPECT_NEAR(gains[points / 2], inside, 0.5) << name << ' ' << ends;
  };
  expect_gains(quantity::third_derivative, "C6", "3-4-4-6-4-4-3", 88, 23);
  expect_gains(quantity::third_derivative, "C6", "4-4-4-6-4-4-4", 208, 23);
  expect_gains(quantity::fourth_derivative, "C4", "3-4-4-4-3", 261, 48);
  expect_gains(quantity::fourth_derivative, "C6", "3-4-4-6-4-4-3", 261, 52);
  expect_gains(quantity::fourth_derivative, "C6", "4-4-4-6-4-4-4", 709, 52);
}

/// With 1/2 beside every diagonal, as in Lele's scheme of fourth order on five points, a periodic
/// matrix of even size is singular: the scheme is not offered, and one's own is refused there.
TEST(CompactHighDerivatives, TheThirdOfFivePointsIsSingularOnEvenPeriods) {
  const scheme narrow("narrow", quantity::third_derivative, staggering::none,
                      {0.5, 1, 0.5, -2, {-1, 2, 0, -2, 1}});
  EXPECT_EQ(narrow.order(), 4);
  grid g = line_grid(32, 1);
  g.boundary = boundary::periodic;
  for (const backend where : every_backend()) {
    expect_refusal(errc::invalid_argument, {"singular"},
                   [&] { compact_operator(narrow, g, {.backend = where}); });
  }
}

TEST(CompactHighDerivatives, SpacingsWhosePowerOverflowsAreRefused) {
  const auto made = [](quantity what, value_type type, double h) {
    grid g = line_grid(40, h);
    g.type = type;
    (void)compact_operator(find_scheme(what, "C6"), g);
  };
  expect_refusal(errc::invalid_argument,
                 {"spacing", "1e-10", "fourth_derivative", "f32", "3.29e-10"},
                 [&] { made(quantity::fourth_derivative, value_type::f32, 1e-10); });
  expect_refusal(errc::invalid_argument, {"spacing", "-1e+13", "third_derivative", "c64"},
                 [&] { made(quantity::third_derivative, value_type::c64, -1e13); });
  expect_refusal(errc::invalid_argument, {"spacing", "1e-80", "fourth_derivative", "f64"},
                 [&] { made(quantity::fourth_derivative, value_type::f64, 1e-80); });
  EXPECT_NO_THROW(made(quantity::fourth_derivative, value_type::f64, 1e-70));
  EXPECT_NO_THROW(made(quantity::fourth_derivative, value_type::f32, 1e-9));
}

}  // namespace
}  // namespace tridia_test
