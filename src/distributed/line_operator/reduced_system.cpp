// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/line_operator/reduced_system.hpp"

namespace tridia::distributed {
namespace {

wide wide_of(std::complex<double> v) {
  return {core::extended(v.real()), core::extended(v.imag())};
}

}  // namespace

std::vector<line_weights> secondary_solutions(const specification& whole, const line_cuts& cuts,
                                              int part) {
  const part_sides sides = sides_of(whole, cuts, part);
  std::vector<line_weights> columns = end_columns(part_of(whole, cuts, part), sides);
  const auto couple = [&](line_weights& column, std::complex<double> coupling) {
    for (wide& v : column) v = -wide_of(coupling) * v;
  };
  const index_t first = cuts.rows[part], last = cuts.rows[part + 1] - 1;
  const auto row = [&](index_t k) { return line_operator::row_of(whole.matrix, whole.rows, k); };
  if (sides.before) couple(columns.front(), row(first).dl);
  if (sides.after) couple(columns.back(), row(last).du);
  return columns;
}

reduced_system reduce_parts(const specification& whole, const line_cuts& cuts) {
  reduced_system r{whole.boundary, {}, {}, {}, {0}};
  const wide one(1), zero(0);
  for (int part = 0; part < cuts.parts(); ++part) {
    const part_sides sides = sides_of(whole, cuts, part);
    const std::vector<line_weights> secondary = secondary_solutions(whole, cuts, part);
    // u and l of the thesis: what the x before the part and the x after it add to a row.
    const auto u = [&](bool last) {
      if (!sides.before) return zero;
      return last ? secondary.front().back() : secondary.front().front();
    };
    const auto l = [&](bool last) {
      if (!sides.after) return zero;
      return last ? secondary.back().back() : secondary.back().front();
    };
    // The first x is what the part before has after its rows, and the last x is what the part after
    // has before its own.
    if (sides.before) {
      r.sub.push_back(one), r.diag.push_back(-u(false)), r.sup.push_back(-l(false));
    }
    if (sides.after) {
      r.sub.push_back(-u(true)), r.diag.push_back(-l(true)), r.sup.push_back(one);
    }
    r.first.push_back(static_cast<index_t>(r.diag.size()));
  }
  return r;
}

}  // namespace tridia::distributed
