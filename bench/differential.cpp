// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "differential.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tridia_bench {
namespace {

using tridia::differential;
using tridia::quantity;

derive_case line_case(const differential_case& c) {
  const bool second = c.kind == differential::laplacian;
  return {second ? quantity::second_derivative : quantity::first_derivative, "C6",
          tridia::boundary::regular, c.points, 2};
}

}  // namespace

std::vector<tridia::differential_term> differential_case::terms() const {
  std::vector<tridia::differential_term> all;
  derive_case c = line_case(*this);
  for (c.axis = 0; c.axis < 3; ++c.axis) all.push_back({c.make_scheme(), c.grid()});
  return all;
}

std::vector<differential_case> differential_cases(index_t points) {
  return {{differential::gradient, points},
          {differential::divergence, points},
          {differential::laplacian, points}};
}

row row_of(const differential_case& c, std::string solver) {
  row r = row_of(line_case(c), std::move(solver));
  r.case_name = c.kind == differential::laplacian ? "C6 Laplacian"
                                                  : "C6 " + std::string(tridia::name(c.kind));
  r.layout.reset();
  if (c.kind == differential::gradient) r.floor_bytes *= 3;
  return r;
}

known_differential::known_differential(const differential_case& c)
    : case_(c), line_(random_line(c.points)), derivative_(reference_line(line_case(c), line_)) {}

void known_differential::fill(double* field) const {
  const double* const g = line_.data();
  const product_field f{.extents = {case_.points, case_.points, case_.points},
                        .period = case_.points,
                        .factors = {g, g, g}};
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < f.size(); ++i) field[i] = f.at(i);
}

double known_differential::error(const double* out, std::size_t result) const {
  const index_t n = case_.points;
  const std::vector<double>&g = line_, &h = derivative_;
  const bool sum = case_.results() == 1;
  double worst = 0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (index_t i = 0; i < n * n * n; ++i) {
    const std::size_t at[] = {static_cast<std::size_t>(i / n / n),
                              static_cast<std::size_t>(i / n % n), static_cast<std::size_t>(i % n)};
    double expected = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!sum && axis != result) continue;
      double term = 1;
      for (std::size_t k = 0; k < 3; ++k) term *= k == axis ? h[at[k]] : g[at[k]];
      expected += term;
    }
    const double error = std::abs(out[i] - expected);
    worst = std::max(worst, error <= 1e300 ? error : HUGE_VAL);
  }
  return worst / largest(derivative_);
}

separate_operators::separate_operators(const differential_case& c, const tridia::options& o) {
  for (const tridia::differential_term& t : c.terms()) ops_.emplace_back(t.scheme, t.grid, o);
}

std::size_t separate_operators::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const auto& op : ops_) bytes = std::max(bytes, op.workspace_bytes());
  return bytes;
}

void separate_operators::apply(const std::vector<const void*>& in, const std::vector<void*>& out,
                               const tridia::execution& e) const {
  for (std::size_t k = 0; k < ops_.size(); ++k) {
    const void* const from = in[in.size() == 1 ? 0 : k];
    if (out.size() == 1 && k > 0) {
      ops_[k].apply_add(1, from, out[0], e);
    } else {
      ops_[k].apply(from, out[out.size() == 1 ? 0 : k], e);
    }
  }
}

}  // namespace tridia_bench
