// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"

#include "commands/plot.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "tridia/info.hpp"
#include "tridia/scheme.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace tridia::cli {
namespace {

using nlohmann::ordered_json;

/// Returns all schemes of a name, or all schemes; those to points and those to midpoints have the
/// same coefficients.
std::vector<scheme> schemes_of(const scheme_arguments& a) {
  std::vector<scheme> found;
  std::string known;
  for (const std::string_view text : names<quantity>()) {
    if (!a.what.empty() && a.what != text) continue;
    const quantity what = parse<quantity>(text).value();
    for (const staggering lies :
         {staggering::none, staggering::to_midpoints, staggering::to_points}) {
      for (const std::string& scheme_name : scheme_names(what, lies)) {
        if (known.find(scheme_name) == std::string::npos) {
          known += (known.empty() ? "" : ", ") + scheme_name;
        }
        if (!a.name.empty() && a.name != scheme_name) continue;
        found.push_back(find_scheme(what, scheme_name, lies, a.alpha));
      }
    }
  }
  if (!found.empty()) return found;
  throw bad_input("NAME", fmt::format("'{}' is not known; there are {}{}", a.name, known,
                                      a.what.empty() ? a.what : fmt::format(" of a {}", a.what)));
}

/// Formats a number as "14/9", or as it is if it is no simple fraction.
std::string fraction_text(double v) {
  for (int q = 1; q <= 20000; ++q) {
    const double p = std::round(v * q);
    if (std::abs(v * q - p) > 1e-13 * q * std::abs(v)) continue;
    return q == 1 ? fmt::format("{}", p) : fmt::format("{}/{}", p, q);
  }
  return fmt::format("{}", v);
}

std::string order_text(int order) {
  return order == exact_order ? "as it is" : fmt::format("order {}", order);
}

std::string row_text(const compact_row& row) {
  std::string text = fmt::format("{} {} {} |", fraction_text(row.sub), fraction_text(row.diag),
                                 fraction_text(row.sup));
  for (const double w : row.weights) text += fmt::format(" {}", fraction_text(w));
  return text + fmt::format("  from {}", row.first);
}

std::string to_text(const scheme& s) {
  const closure c = default_closure(s);
  std::string text = fmt::format(
      "{} {}{}: order {}\n", s.name(), name(s.quantity()),
      s.staggering() == staggering::none ? "" : fmt::format(" {}", name(s.staggering())),
      s.order());
  text += fmt::format("  interior  {}\n", row_text(s.interior()));
  const std::vector<int> orders = c.orders();
  for (std::size_t k = 0; k < c.head().size(); ++k) {
    text += fmt::format("  row {}     {}  ({})\n", k, row_text(c.head()[k]), order_text(orders[k]));
  }
  text += fmt::format("  closure   {}; rows can be of orders", c.name());
  for (const std::vector<int>& choices : closure_choices(s)) {
    text += fmt::format(" {}", fmt::join(choices, "|"));
  }
  return text + "\n";
}

ordered_json to_json(const compact_row& row, const scheme& s) {
  const int order = order_of(row, s.quantity(), s.staggering());
  return {{"sub", row.sub},
          {"diag", row.diag},
          {"sup", row.sup},
          {"first", row.first},
          {"weights", row.weights},
          {"order", order == exact_order ? ordered_json() : ordered_json(order)}};
}

ordered_json curve_of(const scheme& s) {
  ordered_json curve = ordered_json::array();
  constexpr int points = 64;
  for (int k = 0; k <= points; ++k) {
    const double w = std::numbers::pi * k / points;
    const std::complex<double> seen = s.modified_wavenumber(w);
    curve.push_back({w, seen.real(), seen.imag()});
  }
  return curve;
}

ordered_json to_json(const scheme& s) {
  const closure c = default_closure(s);
  ordered_json rows = ordered_json::array();
  for (const compact_row& row : c.head()) rows.push_back(to_json(row, s));
  return {{"name", s.name()},
          {"quantity", name(s.quantity())},
          {"staggering", name(s.staggering())},
          {"order", s.order()},
          {"interior", to_json(s.interior(), s)},
          {"closure", c.name()},
          {"closure_choices", closure_choices(s)},
          {"head", rows},
          {"modified_wavenumber", curve_of(s)}};
}

/// Returns the explicit central schemes of second, fourth and sixth order that compact ones of a
/// quantity are compared with (Srinath 2015, figure 1.1; those of higher derivatives follow by
/// Taylor expansion); none where there is no derivative.
std::vector<scheme> explicit_schemes(quantity what) {
  // Weights of the point itself and of those after it: for each order.
  std::vector<std::vector<double>> orders;
  double sign_before = 1;  // of the points before it
  switch (what) {
    case quantity::first_derivative:
      orders = {{0, 1.0 / 2}, {0, 2.0 / 3, -1.0 / 12}, {0, 3.0 / 4, -3.0 / 20, 1.0 / 60}};
      sign_before = -1;
      break;
    case quantity::second_derivative:
      orders = {
          {-2, 1}, {-5.0 / 2, 4.0 / 3, -1.0 / 12}, {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90}};
      break;
    case quantity::third_derivative:
      orders = {{0, -1, 1.0 / 2},
                {0, -13.0 / 8, 1, -1.0 / 8},
                {0, -61.0 / 30, 169.0 / 120, -3.0 / 10, 7.0 / 240}};
      sign_before = -1;
      break;
    case quantity::fourth_derivative:
      orders = {{6, -4, 1},
                {28.0 / 3, -13.0 / 2, 2, -1.0 / 6},
                {91.0 / 8, -122.0 / 15, 169.0 / 60, -2.0 / 5, 7.0 / 240}};
      break;
    case quantity::interpolation:
    case quantity::filter:
      break;
  }
  std::vector<scheme> found;
  for (const std::vector<double>& half : orders) {
    std::vector<double> weights;
    for (std::size_t k = half.size() - 1; k > 0; --k) weights.push_back(sign_before * half[k]);
    weights.insert(weights.end(), half.begin(), half.end());
    const int reach = static_cast<int>(half.size()) - 1;
    found.emplace_back(fmt::format("E{}", 2 * (found.size() + 1)), what, staggering::none,
                       compact_row{.first = -reach, .weights = std::move(weights)});
  }
  return found;
}

/// Returns the explicit schemes of all quantities that the compact ones have, to be drawn beside
/// them.
ordered_json explicit_json(const std::vector<scheme>& schemes) {
  ordered_json all = ordered_json::array();
  std::vector<quantity> seen;
  for (const scheme& s : schemes) {
    if (std::ranges::find(seen, s.quantity()) != seen.end()) continue;
    seen.push_back(s.quantity());
    for (const scheme& e : explicit_schemes(s.quantity())) {
      all.push_back({{"name", e.name()},
                     {"quantity", name(e.quantity())},
                     {"order", e.order()},
                     {"modified_wavenumber", curve_of(e)}});
    }
  }
  return all;
}

}  // namespace

int scheme_command(const scheme_arguments& arguments) {
  const std::vector<scheme> schemes = schemes_of(arguments);
  ordered_json all = ordered_json::array();
  for (const scheme& s : schemes) all.push_back(to_json(s));
  const ordered_json report = {
      {"version", version()}, {"schemes", all}, {"explicit", explicit_json(schemes)}};
  if (!arguments.plot.empty()) plot_wavenumbers(report, arguments.plot);
  if (arguments.json) {
    print_json(report);
    return exit_success;
  }
  for (const scheme& s : schemes) {
    if (arguments.name.empty()) {
      fmt::print(
          "{:4} {}{}\n", s.name(), name(s.quantity()),
          s.staggering() == staggering::none ? "" : fmt::format(" {}", name(s.staggering())));
    } else {
      fmt::print("{}", to_text(s));
    }
  }
  return exit_success;
}

}  // namespace tridia::cli
