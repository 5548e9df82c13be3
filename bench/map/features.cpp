// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "features.hpp"

namespace tridia_bench {
namespace {

using tridia::coefficients;
using tridia::pivoting;
using tridia::quantity;

constexpr feature kFeatures[] = {
    {.name = "C6", .work = work::apply, .in_f64 = coverage::full, .in_others = coverage::full},
    {.name = "C8", .work = work::apply},
    {.name = "F10", .work = work::apply, .quantity = quantity::filter},
    {.name = "own", .in_f64 = coverage::full, .in_others = coverage::full},
    {.name = "pivoted, dominant", .pivoting = pivoting::partial, .in_f64 = coverage::full},
    {.name = "pivoted, random",
     .matrix = matrix::random,
     .pivoting = pivoting::partial,
     .in_f64 = coverage::full},
    {.name = "shared", .coefficients = coefficients::shared, .in_f64 = coverage::full},
    {.name = "constants", .coefficients = coefficients::constant},
    {.name = "saved factors of many", .work = work::solve, .in_f64 = coverage::full},
    {.name = "saved factors of one", .work = work::solve, .coefficients = coefficients::shared},
    {.name = "4 right-hand sides of many", .right_hand_sides = 4, .in_f64 = coverage::full},
    {.name = "4 right-hand sides of one",
     .coefficients = coefficients::shared,
     .right_hand_sides = 4},
    {.name = "16 right-hand sides of many", .right_hand_sides = 16},
    {.name = "16 right-hand sides of one",
     .coefficients = coefficients::shared,
     .right_hand_sides = 16},
};

}  // namespace

std::span<const feature> features() noexcept { return kFeatures; }

std::string name(const feature& f, tridia::boundary boundary, tridia::operation operation) {
  std::string text(f.name);
  if (boundary == tridia::boundary::periodic) text += ", periodic";
  if (operation != tridia::operation::none) text += ", transposed";
  return text;
}

}  // namespace tridia_bench
