// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare operators with what is known of them: polynomials, waves, mirrors, and orders
// of convergence.
#include "tridia/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/allocations.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/refusal.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using std::numbers::pi;

int derivative_of(const scheme& s) {
  switch (s.quantity()) {
    case quantity::first_derivative:
      return 1;
    case quantity::second_derivative:
      return 2;
    case quantity::third_derivative:
      return 3;
    case quantity::fourth_derivative:
      return 4;
    default:
      return 0;
  }
}
/// These return the position of value 0 of the input and of the output.
double in_place(const scheme& s) { return s.staggering() == staggering::to_points ? 0.5 : 0; }
double out_place(const scheme& s) { return s.staggering() == staggering::to_midpoints ? 0.5 : 0; }

/// Applies an operator to one line, in double.
std::vector<double> apply_to_line(const compact_operator& op, const std::vector<double>& in) {
  std::vector<double> out(static_cast<std::size_t>(op.out_extents()[0]), std::nan(""));
  apply_anywhere(op, in, out);
  return out;
}

grid line_grid(std::size_t points, double spacing = 1) {
  grid g;
  g.extents = {static_cast<index_t>(points)};
  g.spacing = spacing;
  return g;
}

template <class F>
std::vector<double> sampled(std::size_t count, F f) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = f(static_cast<double>(k));
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    // This is not std::max, which would lose a NaN.
    if (!(std::abs(a[k] - b[k]) <= largest)) largest = std::abs(a[k] - b[k]);
  }
  return largest;
}

/// Returns the lowest order of the rows of a scheme and a closure.
int lowest_order(const scheme& s, const closure& c) {
  int lowest = s.order();
  for (const int order : c.orders()) lowest = std::min(lowest, order);
  return lowest;
}

std::string text_of(const scheme& s) {
  return s.name() + ", " + std::string(name(s.quantity())) + ", " +
         std::string(name(s.staggering()));
}

TEST(Compact, PolynomialsOfTheOrderAreExact) {
  const double h = 0.125;
  const std::size_t points = 24;
  for (const scheme& s : all_schemes()) {
    for (const std::string& name : all_closures(s)) {
      if (s.quantity() == quantity::filter && name != default_closure(s).name()) continue;
      const closure c = find_closure(s, name);
      const int q = derivative_of(s), degree = lowest_order(s, c) + q - 1;
      const auto power = [&](double at, int d) {
        double factor = 1;
        for (int k = 0; k < degree - d; ++k) factor *= (at - 11.7) * h;
        for (int k = 0; k < d; ++k) factor *= degree - k;
        return degree < d ? 0 : factor;
      };
      for (const backend where : every_backend()) {
        const compact_operator op(s, c, line_grid(points, h), {.backend = where});
        const auto in = sampled(points, [&](double k) { return power(k + in_place(s), 0); });
        const auto out = apply_to_line(op, in);
        const auto exact =
            sampled(out.size(), [&](double k) { return power(k + out_place(s), q); });
        // Values go up to 1.5^degree, and coefficients up to 76.
        EXPECT_LT(distance(out, exact), 5e-14 * std::pow(1.5, degree) * 76 / std::pow(h, q))
            << text_of(s) << ' ' << name;
      }
    }
  }
}

/// Returns the operator's result for cos(w x + phase), by its symbol.
std::vector<double> wave_of(const scheme& s, double w, double phase, double h, std::size_t count) {
  const std::complex<double> symbol = s.symbol(w) / std::pow(h, derivative_of(s));
  return sampled(count, [&](double k) {
    return (symbol * std::polar(1.0, w * (k + out_place(s)) + phase)).real();
  });
}

/// Returns how far rounding moves the result for a wave. Third and fourth derivatives amplify the
/// rounding of its values by up to 23 and 52 over h^q; for others it is `usual`.
double wave_rounding(const scheme& s, double h, double usual) {
  const int q = derivative_of(s);
  return q > 2 ? 1e-12 / std::pow(h, q) : usual;
}

TEST(Compact, PeriodicWavesFollowTheSymbol) {
  const double h = 0.3;
  for (const scheme& s : all_schemes()) {
    for (const std::size_t points : {11, 12, 64, 97}) {
      if (points < s.interior().weights.size()) continue;
      for (const backend where : every_backend()) {
        grid g = line_grid(points, h);
        g.boundary = boundary::periodic;
        const compact_operator op(s, g, {.backend = where});
        EXPECT_EQ(op.warning(), "");
        for (std::size_t wave = 0; 2 * wave <= points; wave += 1 + points / 16) {
          const double w = 2 * pi * static_cast<double>(wave) / static_cast<double>(points);
          const auto in =
              sampled(points, [&](double k) { return std::cos(w * (k + in_place(s)) + 0.7); });
          EXPECT_LT(distance(apply_to_line(op, in), wave_of(s, w, 0.7, h, points)),
                    wave_rounding(s, h, 2e-13 / h / h))
              << text_of(s) << ' ' << points << ' ' << wave;
        }
      }
    }
  }
}

TEST(Compact, FiltersRemoveTheNyquistWave) {
  for (const std::string& name : scheme_names(quantity::filter)) {
    grid g = line_grid(32);
    g.boundary = boundary::periodic;
    const compact_operator op(find_scheme(quantity::filter, name), g);
    const auto in = sampled(32, [](double k) { return std::cos(pi * k); });
    EXPECT_LT(distance(apply_to_line(op, in), std::vector<double>(32, 0.0)), 1e-14) << name;
  }
}

/// The waves lie between two mirrors, so that no end is special.
TEST(Compact, MirrorsContinueTheField) {
  struct {
    end_condition end;
    double quarter, beyond;
  } const mirrors[] = {{end_condition::symmetric, 0, 0},
                       {end_condition::antisymmetric, -pi / 2, 0},
                       {end_condition::symmetric_half, 0, 0.5},
                       {end_condition::antisymmetric_half, -pi / 2, 0.5}};
  const std::size_t points = 25;
  for (const scheme& s : all_schemes()) {
    for (const auto& m : mirrors) {
      if (m.beyond > 0 && s.staggering() != staggering::none) continue;
      grid g = line_grid(points, 0.5);
      g.head = g.tail = m.end;
      const double length = static_cast<double>(points) +
                            (s.staggering() == staggering::to_points ? 0 : -1) + 2 * m.beyond;
      for (const backend where : every_backend()) {
        const compact_operator op(s, g, {.backend = where});
        EXPECT_EQ(op.warning(), "");
        for (const int wave : {1, 4, 17}) {
          const double w = pi * wave / length, phase = w * m.beyond + m.quarter;
          const auto in =
              sampled(points, [&](double k) { return std::cos(w * (k + in_place(s)) + phase); });
          const auto out = apply_to_line(op, in);
          EXPECT_LT(distance(out, wave_of(s, w, phase, 0.5, out.size())),
                    wave_rounding(s, 0.5, 2e-13))
              << text_of(s) << ' ' << name(m.end) << ' ' << wave;
        }
      }
    }
  }
}

/// Holds errors in the maximum norm and in L2.
struct errors {
  double largest, mean;
};

errors errors_of(const scheme& s, const closure& c, std::size_t points, boundary ends) {
  const double n = static_cast<double>(points) - (ends == boundary::periodic ? 0 : 1);
  const double h = 2 * pi / n;
  grid g = line_grid(points, h);
  g.boundary = ends;
  const auto f = [](double x, int d) { return std::sin(x + 0.4 + d * pi / 2); };
  const compact_operator op(s, c, g);
  const auto out =
      apply_to_line(op, sampled(points, [&](double k) { return f((k + in_place(s)) * h, 0); }));
  errors e{0, 0};
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double x = (static_cast<double>(k) + out_place(s)) * h;
    const double error = std::abs(out[k] - f(x, derivative_of(s)));
    e.largest = std::max(e.largest, error);
    e.mean += error * error * h;
  }
  e.mean = std::sqrt(e.mean);
  return e;
}

double slope(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(Compact, PeriodicSchemesConvergeAtTheirOrder) {
  for (const scheme& s : all_schemes()) {
    const auto order = static_cast<double>(s.order());
    const std::size_t points = s.order() > 6 ? 16 : 32;
    const errors a = errors_of(s, default_closure(s), points, boundary::periodic);
    const errors b = errors_of(s, default_closure(s), 2 * points, boundary::periodic);
    EXPECT_NEAR(slope(a.largest, b.largest), order, 0.4) << text_of(s);
    EXPECT_NEAR(slope(a.mean, b.mean), order, 0.4) << text_of(s);
  }
}

/// A closure of lower order than the interior sets the order in the maximum norm; its rows are few,
/// which is worth half an order more in L2.
TEST(Compact, ClosedSchemesConvergeAtTheOrderOfTheirClosure) {
  for (const scheme& s : all_schemes()) {
    for (const std::string& name : all_closures(s)) {
      if (s.quantity() == quantity::filter && name != default_closure(s).name()) continue;
      const closure c = find_closure(s, name);
      const auto lowest = static_cast<double>(lowest_order(s, c));
      const std::size_t points = lowest >= 5 ? 64 : 128;
      const errors a = errors_of(s, c, points, boundary::regular);
      const errors b = errors_of(s, c, 2 * points, boundary::regular);
      const std::string text = text_of(s) + " " + name;
      EXPECT_GT(slope(a.largest, b.largest), lowest - 0.3) << text;
      EXPECT_LT(slope(a.largest, b.largest), lowest + 1.1) << text;
      EXPECT_GT(slope(a.mean, b.mean), std::min(lowest + 0.5, double(s.order())) - 0.3) << text;
    }
  }
}

TEST(Compact, MetricStretchesTheGrid) {
  const std::size_t points = 64;
  const auto x = [](double k) { return std::sinh(0.02 * (k - 20)); };
  grid g = line_grid(points);
  g.metric = sampled(points, [](double k) { return 0.02 * std::cosh(0.02 * (k - 20)); });
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  for (const backend where : every_backend()) {
    const compact_operator op(c6, g, {.backend = where});
    const auto in = sampled(points, [&](double k) { return std::exp(0.3 * x(k)); });
    const auto out = apply_to_line(op, in);
    EXPECT_LT(distance(out, sampled(points, [&](double k) { return 0.3 * std::exp(0.3 * x(k)); })),
              3e-5);
    grid uniform = g;
    uniform.metric = {};
    auto scaled = apply_to_line(compact_operator(c6, uniform, {.backend = where}), in);
    for (std::size_t k = 0; k < points; ++k) scaled[k] /= g.metric[k];
    EXPECT_LT(distance(out, scaled), 1e-15);
  }
}

TEST(Compact, OnesOwnSchemeAndClosure) {
  // These are second-order central differences with first-order ends, and upwind differences of
  // third order.
  const scheme central("central", quantity::first_derivative, staggering::none,
                       {0, 1, 0, -1, {-0.5, 0, 0.5}});
  const closure ends("one-sided", quantity::first_derivative, staggering::none,
                     {{0, 1, 0, 0, {-1, 1}}});
  const scheme upwind("upwind", quantity::first_derivative, staggering::none,
                      {0, 1, 0, -2, {1.0 / 6, -1, 0.5, 1.0 / 3}});
  EXPECT_EQ(central.order(), 2);
  EXPECT_EQ(upwind.order(), 3);
  for (const backend where : every_backend()) {
    const compact_operator op(central, ends, line_grid(5, 0.5), {.backend = where});
    EXPECT_NE(op.warning(), "");
    EXPECT_LT(distance(apply_to_line(op, {0, 1, 4, 9, 16}), {2, 4, 8, 12, 14}), 1e-14);
    grid g = line_grid(32, 1);
    g.boundary = boundary::periodic;
    const double w = 2 * pi * 3 / 32;
    const auto in = sampled(32, [&](double k) { return std::cos(w * k); });
    EXPECT_LT(distance(apply_to_line(compact_operator(upwind, g, {.backend = where}), in),
                       wave_of(upwind, w, 0, 1, 32)),
              1e-14);
  }
}

/// A stencil may lie a whole line away from its row, but must not go around it more than once.
TEST(Compact, StencilsGoAroundALineOnce) {
  for (const int first : {-40, 39}) {
    const scheme far("far", quantity::first_derivative, staggering::none,
                     {0, 1, 0, first, {-1, 1}});
    for (const backend where : every_backend()) {
      for (const std::size_t points : {40, 44, 97}) {
        grid g = line_grid(points);
        g.boundary = boundary::periodic;
        const double w = 2 * pi * 3 / static_cast<double>(points);
        const auto in = sampled(points, [&](double k) { return std::cos(w * k); });
        EXPECT_LT(distance(apply_to_line(compact_operator(far, g, {.backend = where}), in),
                           wave_of(far, w, 0, 1, points)),
                  1e-13)
            << name(where) << ' ' << points << ' ' << first;
      }
      for (const std::size_t points : {3, 24, 39}) {
        grid g = line_grid(points);
        g.boundary = boundary::periodic;
        expect_refusal(errc::invalid_argument, {"too few", "40 or more"},
                       [&] { compact_operator(far, g, {.backend = where}); });
      }
    }
  }
}

/// Elimination without interchanges would divide by zero in these rows of a closure.
TEST(Compact, ClosuresWithAZeroPivot) {
  const scheme c6 = find_scheme(quantity::first_derivative, "C6");
  const closure c = find_closure(c6, "5-4-6-4-5");
  const auto in = sampled(40, [](double k) { return std::sin(0.1 * k); });
  const auto result_on = [&](backend where) {
    return apply_to_line(compact_operator(c6, c, line_grid(40), {.backend = where}), in);
  };
  for (const backend where : every_backend()) {
    const auto result = result_on(where);
    EXPECT_LT(distance(result_on(backend::reference), result), 1e-13) << name(where);
    EXPECT_LT(distance(result, sampled(40, [](double k) { return 0.1 * std::cos(0.1 * k); })),
              1e-5);
  }
}

TEST(Compact, ShortestLines) {
  for (const scheme& s : all_schemes()) {
    for (std::size_t points = 1; points < 30; ++points) {
      std::vector<double> expected;
      std::size_t refusals = 0;
      for (const backend where : every_backend()) {
        try {
          const compact_operator op(s, line_grid(points), {.backend = where});
          const auto result =
              apply_to_line(op, sampled(points, [](double i) { return std::sin(0.3 * i); }));
          if (where == backend::reference) expected = result;
          EXPECT_LT(distance(expected, result), 1e-12)
              << text_of(s) << ' ' << points << ' ' << name(where);
        } catch (const error& e) {
          const std::string sentence = e.what();
          EXPECT_TRUE(sentence.find("too few") != std::string::npos ||
                      sentence.find("singular") != std::string::npos)
              << sentence;
          ++refusals;
        }
      }
      // All backends refuse it or none does.
      EXPECT_TRUE(refusals == 0 || refusals == every_backend().size())
          << text_of(s) << ' ' << points;
      EXPECT_TRUE(refusals == 0 || points < 15) << text_of(s) << ' ' << points;
    }
  }
}

/// Some lines are longer than the blocks of a GPU hold.
TEST(Compact, LongLines) {
  for (const backend where : every_backend()) {
    for (const std::size_t points : {8000, 20011, 100003}) {
      const auto in = sampled(points, [](double k) { return std::sin(0.01 * k); });
      const compact_operator op(find_scheme(quantity::first_derivative, "C8"),
                                line_grid(points, 0.01), {.backend = where});
      EXPECT_LT(distance(apply_to_line(op, in),
                         sampled(points, [](double k) { return std::cos(0.01 * k); })),
                1e-6)
          << name(where) << ' ' << points;
    }
  }
}

TEST(Compact, ApplyingAllocatesNothing) {
  grid g;
  g.extents = {20, 70, 30};
  g.axis = 1;
  expect_applying_allocates_nothing(
      {find_scheme(quantity::first_derivative, "C6"), g, {.threads = 1}});
}

}  // namespace
}  // namespace tridia_test
