// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check schemes and closures as data: orders, modified wavenumbers, spectra, and what
// is refused.
#include "tridia/scheme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/lines.hpp"
#include "support/refusal.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

int digits_of(const std::string& name) { return std::stoi(name.substr(1)); }

TEST(Scheme, OrdersAreWhatTheNamesSay) {
  const auto all = all_schemes();
  EXPECT_EQ(all.size(), 3U * (1 + 2) + 3 + 1 + 2 + 3 * 2 + 5);
  for (const scheme& s : all) {
    EXPECT_EQ(s.order(), digits_of(s.name())) << name(s.quantity()) << ' ' << name(s.staggering());
  }
  EXPECT_EQ(find_scheme(quantity::filter, "F6", staggering::none, -0.3).order(), 6);
}

/// Holds Lele's coefficients.
struct parameters {
  const char* name;
  double alpha, a, b, c;
};

double denominator(const parameters& p, double w) { return 1 + 2 * p.alpha * std::cos(w); }

template <class Formula>
void expect_wavenumbers(quantity what, staggering lies, const std::vector<parameters>& table,
                        Formula formula) {
  for (const parameters& p : table) {
    const scheme s = find_scheme(what, p.name, lies);
    for (double w = 0; w < 3.15; w += std::numbers::pi / 16) {
      const std::complex<double> seen = s.modified_wavenumber(w);
      const double expected = formula(p, w) / denominator(p, w);
      const double rounding = 1e-14 * std::max(1.0, std::abs(expected));
      EXPECT_NEAR(seen.real(), expected, rounding) << p.name << ' ' << w;
      EXPECT_NEAR(seen.imag(), 0, rounding) << p.name << ' ' << w;
    }
  }
}

TEST(Scheme, FirstDerivativesHaveLelesWavenumber) {
  expect_wavenumbers(quantity::first_derivative, staggering::none,
                     {{"C4", .25, 1.5, 0, 0},
                      {"C6", 1. / 3, 14. / 9, 1. / 9, 0},
                      {"C8", .375, 25. / 16, .2, -1. / 80}},
                     [](const parameters& p, double w) {
                       return p.a * std::sin(w) + p.b / 2 * std::sin(2 * w) +
                              p.c / 3 * std::sin(3 * w);
                     });
}

TEST(Scheme, SecondDerivativesHaveLelesWavenumber) {
  expect_wavenumbers(quantity::second_derivative, staggering::none,
                     {{"C4", .1, 1.2, 0, 0},
                      {"C6", 2. / 11, 12. / 11, 3. / 11, 0},
                      {"C8", 9. / 38, 147. / 152, 51. / 95, -23. / 760}},
                     [](const parameters& p, double w) {
                       return 2 * p.a * (1 - std::cos(w)) + p.b / 2 * (1 - std::cos(2 * w)) +
                              2 * p.c / 9 * (1 - std::cos(3 * w));
                     });
}

TEST(Scheme, ThirdAndFourthDerivativesHaveLelesWavenumber) {
  expect_wavenumbers(quantity::third_derivative, staggering::none, {{"C6", 7. / 16, 2, -1. / 8, 0}},
                     [](const parameters& p, double w) {
                       return p.a * (2 * std::sin(w) - std::sin(2 * w)) +
                              p.b / 4 * (3 * std::sin(w) - std::sin(3 * w));
                     });
  expect_wavenumbers(quantity::fourth_derivative, staggering::none,
                     {{"C4", 1. / 4, 3. / 2, 0, 0}, {"C6", 7. / 26, 19. / 13, 1. / 13, 0}},
                     [](const parameters& p, double w) {
                       return p.a * (2 * std::cos(2 * w) - 8 * std::cos(w) + 6) +
                              p.b / 3 * (std::cos(3 * w) - 9 * std::cos(w) + 8);
                     });
}

TEST(Scheme, StaggeredSchemesHaveLelesWavenumberBothWays) {
  for (const auto lies : {staggering::to_midpoints, staggering::to_points}) {
    expect_wavenumbers(quantity::first_derivative, lies,
                       {{"C4", 1. / 22, 12. / 11, 0, 0},
                        {"C6", 9. / 62, 63. / 62, 17. / 62, 0},
                        {"C8", 25. / 118, 2675. / 2832, 925. / 1888, -61. / 5664}},
                       [](const parameters& p, double w) {
                         return 2 * (p.a * std::sin(w / 2) + p.b / 3 * std::sin(1.5 * w) +
                                     p.c / 5 * std::sin(2.5 * w));
                       });
    expect_wavenumbers(quantity::interpolation, lies,
                       {{"C4", 1. / 6, 4. / 3, 0, 0},
                        {"C6", .3, 1.5, .1, 0},
                        {"C8", 5. / 14, 25. / 16, 5. / 32, -1. / 224}},
                       [](const parameters& p, double w) {
                         return p.a * std::cos(w / 2) + p.b * std::cos(1.5 * w) +
                                p.c * std::cos(2.5 * w);
                       });
  }
}

TEST(Scheme, FiltersKeepTheMeanAndRemoveTheNyquistWave) {
  for (const double alpha : {-0.4, 0.0, 0.3, 0.49}) {
    for (const std::string& name : scheme_names(quantity::filter)) {
      const scheme s = find_scheme(quantity::filter, name, staggering::none, alpha);
      EXPECT_NEAR(std::abs(s.symbol(0) - 1.0), 0, 1e-15) << name << ' ' << alpha;
      // The terms cancel exactly, except for their rounding, over a denominator of 1 - 2 alpha.
      EXPECT_NEAR(std::abs(s.symbol(std::numbers::pi)) * (1 - 2 * alpha), 0, 2e-16) << name;
      for (double w = 0.1; w < 3.1; w += 0.1) {
        EXPECT_LE(s.symbol(w).real(), 1 + 1e-15);
        EXPECT_GT(s.symbol(w).real(), 0);
      }
    }
  }
}

TEST(Scheme, OrderIsFoundFromOnesOwnCoefficients) {
  EXPECT_EQ(order_of({0, 1, 0, -1, {-0.5, 0, 0.5}}, quantity::first_derivative), 2);
  EXPECT_EQ(order_of({0, 1, 0, 0, {-1, 1}}, quantity::first_derivative), 1);
  EXPECT_EQ(order_of({0, 1, 0, 0, {-1, 1}}, quantity::first_derivative, staggering::to_midpoints),
            2);
  EXPECT_EQ(order_of({0, 2, 0, 0, {2}}, quantity::filter), exact_order);
  // Lele's (2.1.6) has fourth order for any alpha, and sixth for 1/3 alone.
  EXPECT_EQ(order_of({.35,
                      1,
                      .35,
                      -2,
                      {-.0333333333333333333, -.7833333333333333333, 0, .7833333333333333333,
                       .0333333333333333333}},
                     quantity::first_derivative),
            4);
}

TEST(Scheme, InconsistentRowsAreRefused) {
  const auto refused = [](const compact_row& row, const std::vector<std::string>& words) {
    expect_refusal(errc::invalid_argument, words, [&] {
      (void)scheme("mine", quantity::first_derivative, staggering::none, row);
    });
  };
  refused({0, 1, 0, -1, {-0.5, 0, 0.6}}, {"x^0", "0.1"});
  refused({.25, 1, .25, -1, {-0.5, 0, 0.5}}, {"x^1", "1.5", "right side 1"});
  refused({0, 1, 0, 0, {}}, {"weights", "empty"});
  refused({0, 0, 0, 0, {1}}, {"zero"});
  refused({0, std::nan(""), 0, 0, {1}}, {"finite"});
  refused({0, 1, 0, 0, {1, INFINITY}}, {"weights[1]", "finite"});
}

TEST(Scheme, UnknownOnesAreAnsweredWithTheKnown) {
  expect_refusal(errc::invalid_argument, {"C5", "C4, C6, C8"},
                 [] { (void)find_scheme(quantity::first_derivative, "C5"); });
  expect_refusal(errc::invalid_argument, {"C4", "third_derivative", "C6"},
                 [] { (void)find_scheme(quantity::third_derivative, "C4"); });
  expect_refusal(errc::invalid_argument, {"c6", "F2, F4, F6, F8, F10"},
                 [] { (void)find_scheme(quantity::filter, "c6"); });
  expect_refusal(errc::invalid_argument, {"staggering", "to_midpoints"},
                 [] { (void)find_scheme(quantity::interpolation, "C6"); });
  expect_refusal(errc::invalid_argument, {"staggering", "to_points", "none"}, [] {
    (void)find_scheme(quantity::second_derivative, "C6", staggering::to_points);
  });
  for (const auto what : {quantity::third_derivative, quantity::fourth_derivative}) {
    expect_refusal(errc::invalid_argument, {"staggering", "to_midpoints", "none"},
                   [what] { (void)find_scheme(what, "C6", staggering::to_midpoints); });
  }
  for (const double alpha : {0.6, -1.0, std::nan("")}) {
    expect_refusal(errc::invalid_argument, {"alpha_f"},
                   [alpha] { (void)find_scheme(quantity::filter, "F4", staggering::none, alpha); });
  }
}

TEST(Closure, RowsHaveTheOrdersOfTheirNames) {
  for (const scheme& s : all_schemes()) {
    const auto names = all_closures(s);
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names) {
      const closure c = find_closure(s, name);
      EXPECT_EQ(c.name(), name);
      const std::vector<int> orders = c.orders();
      for (std::size_t k = 0; k < orders.size(); ++k) {
        const int digit = name[2 * k] - '0';
        EXPECT_EQ(orders[k], digit == 0 ? exact_order : digit) << s.name() << ' ' << name;
        // The far end is the mirror image, and of the same order.
        EXPECT_EQ(order_of(c.tail()[orders.size() - 1 - k], s.quantity(), s.staggering()),
                  orders[k]);
      }
    }
  }
}

TEST(Closure, Defaults) {
  const auto usual = [](quantity what, const char* name, staggering lies = staggering::none) {
    return default_closure(find_scheme(what, name, lies)).name();
  };
  EXPECT_EQ(usual(quantity::first_derivative, "C4"), "3-4-3");
  EXPECT_EQ(usual(quantity::first_derivative, "C6"), "3-4-6-4-3");
  EXPECT_EQ(usual(quantity::first_derivative, "C8"), "3-4-6-8-6-4-3");
  EXPECT_EQ(usual(quantity::second_derivative, "C6"), "3-4-6-4-3");
  EXPECT_EQ(usual(quantity::third_derivative, "C6"), "3-4-4-6-4-4-3");
  EXPECT_EQ(usual(quantity::fourth_derivative, "C4"), "3-4-4-4-3");
  EXPECT_EQ(usual(quantity::fourth_derivative, "C6"), "3-4-4-6-4-4-3");
  EXPECT_EQ(usual(quantity::first_derivative, "C6", staggering::to_midpoints), "3-6-3");
  EXPECT_EQ(usual(quantity::first_derivative, "C8", staggering::to_points), "3-4-6-8-6-4-3");
  EXPECT_EQ(usual(quantity::interpolation, "C8", staggering::to_midpoints), "4-6-8-6-4");
  EXPECT_EQ(usual(quantity::filter, "F6"), "0-2-4-6-4-2-0");
}

TEST(Closure, NamesThatDoNotFitAreRefused) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const auto refused = [&](const char* name, const std::vector<std::string>& words) {
    expect_refusal(errc::invalid_argument, words, [&] { (void)find_closure(c6, name); });
  };
  for (const char* name : {"", "three", "3-", "-3", "3--4", "3-4.5-3", "3 4 3"}) {
    refused(name, {"closure", "3-4-6-4-3"});
  }
  refused("3-4-6-4", {"both ends"});
  refused("3-4-6-4-4", {"both ends"});
  refused("3-4-8-4-3", {"8 in the middle", "6"});
  refused("3-6-3", {"1 rows", "2"});
  refused("7-4-6-4-7", {"row 0", "order 7", "3, 4, 5, 6"});
  refused("3-6-6-6-3", {"row 1", "order 6", "4, 5"});
}

TEST(Closure, OnesOwnIsChecked) {
  const auto make = [](const compact_row& row) {
    return closure("mine", quantity::first_derivative, staggering::none, {row});
  };
  EXPECT_EQ(make({0, 1, 0, 0, {-1, 1}}).orders(), std::vector<int>{1});
  expect_refusal(errc::invalid_argument, {"closure", "head[0]", "x^0"}, [&] {
    (void)make({0, 1, 0, 0, {-1, 2}});
  });
  expect_refusal(errc::invalid_argument, {"closure", "head[0]", "beyond"}, [&] {
    (void)make({0, 1, 0, -1, {-0.5, 0, 0.5}});
  });
  expect_refusal(errc::invalid_argument, {"closure", "head[0]", "beyond"}, [&] {
    (void)make({1, 1, 0, 0, {-2, 2}});
  });
  expect_refusal(errc::invalid_argument, {"closure", "tail[0]", "beyond"}, [&] {
    (void)closure("mine", quantity::first_derivative, staggering::none, {{0, 1, 0, 0, {-1, 1}}},
                  {{0, 1, 0, 0, {-1, 1}}});
  });
}

/// Returns sub, diag, sup and the weights times the least number that makes integers of them, if
/// they are fractions up to rounding; or nothing.
std::vector<long long> integers_of(const compact_row& row) {
  std::vector<double> all{row.sub, row.diag, row.sup};
  all.insert(all.end(), row.weights.begin(), row.weights.end());
  for (int denominator = 1; denominator <= 100'000; ++denominator) {
    const bool fits = std::ranges::all_of(all, [&](double v) {
      return std::abs(v * denominator - std::round(v * denominator)) <=
             1e-15 * std::abs(v * denominator);
    });
    if (!fits) continue;
    std::vector<long long> integers;
    for (const double v : all) integers.push_back(std::llround(v * denominator));
    return integers;
  }
  return {};
}

/// Returns whether a row of integers holds for x^m, by arithmetic that is exact.
bool holds_for_power(const std::vector<long long>& row, int first, int derivative, staggering lies,
                     int m) {
  const auto power = [](long long x, int n) {
    long long result = 1;
    for (int k = 0; k < n; ++k) result *= x;
    return result;
  };
  // Positions are counted in halves of a cell where there are midpoints.
  const int unit = lies == staggering::none ? 1 : 2;
  const int offset = lies == staggering::to_midpoints ? -1 : lies == staggering::to_points ? 1 : 0;
  long long factor = power(unit, derivative);
  for (int k = 0; k < derivative; ++k) factor *= m - k;
  long long left = 0, right = 0;
  for (int j = -1; j <= 1 && m >= derivative; ++j) {
    left += row[static_cast<std::size_t>(j + 1)] * factor * power(unit * j, m - derivative);
  }
  for (std::size_t k = 3; k < row.size(); ++k)
    right += row[k] * power(unit * (first + static_cast<int>(k) - 3) + offset, m);
  return left == right;
}

/// The coefficients are the doubles next to fractions that fulfil all conditions of their order
/// exactly, and not the next one.
TEST(Closure, CoefficientsAreExactFractions) {
  const auto check = [](const compact_row& row, const scheme& s, const std::string& text) {
    const int order = order_of(row, s.quantity(), s.staggering());
    if (order == exact_order) return;
    const std::string name(tridia::name(s.quantity()));
    const int q = name.starts_with("first")    ? 1
                  : name.starts_with("second") ? 2
                  : name.starts_with("third")  ? 3
                  : name.starts_with("fourth") ? 4
                                               : 0;
    const std::vector<long long> integers = integers_of(row);
    ASSERT_FALSE(integers.empty()) << text;
    for (int m = 0; m <= order + q; ++m) {
      EXPECT_EQ(holds_for_power(integers, row.first, q, s.staggering(), m), m < order + q)
          << text << " x^" << m;
    }
  };
  for (const scheme& s : all_schemes()) {
    const std::string text = s.name() + ' ' + std::string(name(s.quantity()));
    check(s.interior(), s, text);
    for (const std::string& ends : all_closures(s)) {
      const closure c = find_closure(s, ends);
      for (const compact_row& row : c.head()) check(row, s, text + ' ' + ends);
      for (const compact_row& row : c.tail()) check(row, s, text + ' ' + ends);
    }
  }
}

/// Returns the largest real part of the spectrum of u_t + u_x = 0, the inflow's row removed.
double growth(const scheme& s, const closure& c, index_t points) {
  dense_matrix d = derivative_matrix(s, c, points), inner(points - 1);
  for (index_t j = 1; j < points; ++j) {
    for (index_t i = 1; i < points; ++i) inner.at(i - 1, j - 1) = -d.at(i, j);
  }
  return largest_real_part(inner);
}

TEST(Closure, WarningsAreWhatTheSpectrumSays) {
  for (const char* name : {"C4", "C6", "C8"}) {
    const scheme s = find_scheme(quantity::first_derivative, name);
    EXPECT_EQ(closure_warning(s, default_closure(s)), "");
    for (const std::string& text : all_closures(s)) {
      const closure c = find_closure(s, text);
      for (const index_t points : {33, 65}) {
        if (closure_warning(s, c).empty()) {
          EXPECT_LT(growth(s, c, points), -1e-5) << name << ' ' << text << ' ' << points;
        } else if (text.starts_with("5-4-")) {
          // The spectrum reaches the imaginary axis, or just beyond it.
          EXPECT_GT(growth(s, c, points), -1e-6) << name << ' ' << text << ' ' << points;
        } else {
          EXPECT_GT(growth(s, c, points), 0.05) << name << ' ' << text << ' ' << points;
        }
      }
    }
  }
}

/// The expected values are those that the documentation gives for the best known closures.
TEST(Closure, SpectraOfTheDocumentation) {
  const auto largest = [](const char* name, const char* text) {
    const scheme s = find_scheme(quantity::first_derivative, name);
    return growth(s, find_closure(s, text), 65);
  };
  EXPECT_LT(largest("C4", "3-4-3"), 0);
  EXPECT_LT(largest("C6", "3-4-6-4-3"), 0);
  EXPECT_NEAR(largest("C4", "4-4-4"), 0.294, 1e-3);
  EXPECT_NEAR(largest("C6", "4-4-6-4-4"), 0.281, 1e-3);
  EXPECT_NEAR(largest("C6", "5-5-6-5-5"), 2.77, 1e-2);
}

TEST(Closure, OnesOwnIsOfUnknownStability) {
  const scheme c4 = find_scheme(quantity::first_derivative, "C4");
  const closure mine("3-4-3", quantity::first_derivative, staggering::none,
                     {{0, 1, 0, 0, {-1, 1}}});
  EXPECT_NE(closure_warning(c4, mine).find("not among"), std::string::npos);
  EXPECT_NE(closure_warning(c4, find_closure(c4, "4-4-4")).find("3-4-3 is stable"),
            std::string::npos);
}

}  // namespace
}  // namespace tridia_test
