// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/scheme.hpp"

#include "compact/tables.hpp"
#include "compact/taylor.hpp"
#include "core/refuse.hpp"

#include <cmath>
#include <utility>

namespace tridia {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  return list;
}

/// Throws if there are schemes, but none of this staggering.
void check_staggering(tridia::quantity quantity, tridia::staggering staggering) {
  if (!compact::interior_rows(quantity, staggering, 0).empty()) return;
  refuse(quantity == tridia::quantity::interpolation
             ? "staggering: is none, but an interpolation goes to_midpoints or to_points"
             : "staggering: is " + std::string(name(staggering)) + ", but a " +
                   std::string(name(quantity)) + " is offered for points alone: none");
}

}  // namespace

scheme::scheme(std::string name, tridia::quantity quantity, tridia::staggering staggering,
               compact_row interior)
    : name_(std::move(name)),
      quantity_(quantity),
      staggering_(staggering),
      interior_(std::move(interior)),
      order_(order_of(interior_, quantity, staggering)) {}

std::complex<double> scheme::symbol(double w) const {
  const auto wave = [w](double x) { return std::polar(1.0, w * x); };
  const std::complex<double> left =
      interior_.sub * wave(-1) + interior_.diag + interior_.sup * wave(1);
  std::complex<double> right = 0;
  double at = interior_.first + compact::offset_of(staggering_);
  for (const double weight : interior_.weights) right += weight * wave(at++);
  return right / left;
}

std::complex<double> scheme::modified_wavenumber(double w) const {
  const std::complex<double> s = symbol(w);
  switch (compact::derivative_of(quantity_) % 4) {  // s over a power of i
    case 1:
      return {s.imag(), -s.real()};
    case 2:
      return -s;
    case 3:
      return {-s.imag(), s.real()};
    default:
      return s;
  }
}

std::vector<std::string> scheme_names(tridia::quantity quantity, tridia::staggering staggering) {
  std::vector<std::string> names;
  for (const auto& known : compact::interior_rows(quantity, staggering, 0))
    names.emplace_back(known.name);
  return names;
}

scheme find_scheme(tridia::quantity quantity, std::string_view name, tridia::staggering staggering,
                   double alpha_f) {
  check_staggering(quantity, staggering);
  if (quantity == tridia::quantity::filter && !(std::abs(alpha_f) <= 0.5)) {
    refuse("alpha_f: is " + std::to_string(alpha_f) + ", but a filter's is from -0.5 to 0.5");
  }
  for (auto& known : compact::interior_rows(quantity, staggering, alpha_f)) {
    if (known.name == name) return {std::string(name), quantity, staggering, std::move(known.row)};
  }
  refuse("scheme: '" + std::string(name) + "' is not known; of a " +
         std::string(tridia::name(quantity)) + " there are " +
         list_of(scheme_names(quantity, staggering)));
}

}  // namespace tridia
