// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "derive.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

namespace tridia_bench {
namespace {

using tridia::backend;
using tridia::boundary;
using tridia::quantity;

std::string text_of(quantity what) {
  switch (what) {
    case quantity::first_derivative:
      return "first derivative";
    case quantity::second_derivative:
      return "second derivative";
    case quantity::third_derivative:
      return "third derivative";
    case quantity::fourth_derivative:
      return "fourth derivative";
    case quantity::interpolation:
      return "interpolation";
    case quantity::filter:
      return "filter";
  }
  return "";
}

/// Returns the layout as it is called for systems: lines along the last axis are contiguous.
layout layout_of(int axis) {
  return axis == 2 ? layout::contiguous : axis == 1 ? layout::middle : layout::interleaved;
}

stencil_rows::row stencil_row(const tridia::compact_row& from) {
  if (from.weights.size() > stencil_rows::most_weights) {
    throw std::logic_error("a row of a scheme is longer than the benchmark has room for");
  }
  stencil_rows::row r{
      from.sub, from.diag, from.sup, from.first, static_cast<int>(from.weights.size()), {}};
  std::copy(from.weights.begin(), from.weights.end(), r.weights);
  return r;
}

}  // namespace

tridia::scheme derive_case::make_scheme() const { return tridia::find_scheme(what, scheme); }

tridia::grid derive_case::grid() const {
  tridia::grid g;
  g.extents = {points, points, points};
  g.axis = axis;
  g.boundary = boundary;
  return g;
}

std::vector<derive_case> derive_cases() {
  std::vector<derive_case> cases;
  const auto add = [&](quantity what, const char* scheme, boundary ends, index_t points) {
    for (const int axis : {0, 1, 2}) cases.push_back({what, scheme, ends, points, axis});
  };
  for (const index_t points : {256, 512, 1024}) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      add(quantity::first_derivative, "C6", ends, points);
    }
    if (points != 512) continue;
    add(quantity::first_derivative, "C8", boundary::regular, points);
    add(quantity::second_derivative, "C6", boundary::regular, points);
    add(quantity::filter, "F10", boundary::regular, points);
  }
  return cases;
}

std::vector<index_t> constant_case::extents() const {
  constexpr index_t inner = 256;
  return layout == layout::contiguous    ? std::vector<index_t>{1, batch, n}
         : layout == layout::interleaved ? std::vector<index_t>{1, n, batch}
                                         : std::vector<index_t>{batch / inner, n, inner};
}

int constant_case::axis() const { return layout == layout::contiguous ? 2 : 1; }

tridia::problem constant_case::problem() const {
  tridia::problem p;
  p.extents = extents();
  p.axis = axis();
  p.pivoting = tridia::pivoting::none;
  p.coefficients = tridia::coefficients::constant;
  p.matrix = {.interior = {1.0 / 3, 1.0, 1.0 / 3},
              .head = {{0.0, 1.0, 2.0}, {0.25, 1.0, 0.25}},
              .tail = {{0.25, 1.0, 0.25}, {2.0, 1.0, 0.0}}};
  return p;
}

row row_of(const derive_case& c, std::string solver) {
  row r;
  r.case_name = c.scheme + " " + text_of(c.what);
  r.solver = std::move(solver);
  r.type = "f64";
  r.n = c.points;
  r.batch = c.points * c.points;
  r.layout = name(layout_of(c.axis));
  r.boundary = tridia::name(c.boundary);
  r.pivoting = "none";
  r.floor_reads = 1;
  r.floor_bytes = 2 * sizeof(double) * static_cast<std::size_t>(c.points * c.points * c.points);
  return r;
}

row row_of(const constant_case& c, std::string solver) {
  row r;
  r.case_name = "near-Toeplitz";
  r.solver = std::move(solver);
  r.type = "f64";
  r.n = c.n;
  r.batch = c.batch;
  r.layout = name(c.layout);
  r.boundary = "regular";
  r.pivoting = "none";
  r.floor_reads = 1;
  r.floor_bytes = 2 * sizeof(double) * static_cast<std::size_t>(c.n * c.batch);
  return r;
}

std::vector<double> random_line(index_t points) {
  std::mt19937_64 random(5);
  std::vector<double> line(static_cast<std::size_t>(points));
  for (double& v : line) {
    const std::uint64_t bits = random();
    v = (0.5 + 0.5 * static_cast<double>(bits >> 12) * 0x1p-52) * ((bits & 1) != 0 ? -1 : 1);
  }
  return line;
}

std::vector<double> reference_line(const derive_case& c, const std::vector<double>& g) {
  tridia::grid line;
  line.extents = {c.points};
  line.boundary = c.boundary;
  std::vector<double> result(g.size());
  tridia::compact_operator(c.make_scheme(), line, {.backend = backend::reference})
      .apply(g.data(), result.data());
  return result;
}

std::vector<double> reference_line(const constant_case& c, const std::vector<double>& g) {
  tridia::problem p = c.problem();
  p.extents = {c.n};
  p.axis = 0;
  const tridia::plan plan(p, {.backend = backend::reference});
  std::vector<double> result(g.size());
  std::vector<char> workspace(plan.workspace_bytes());
  plan.execute(g.data(), result.data(),
               {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  return result;
}

double largest(const std::vector<double>& line) {
  double most = 0;
  for (const double v : line) most = std::max(most, std::abs(v));
  return most;
}

stencil_rows::stencil_rows(const derive_case& c) : rows(c.points) {
  const tridia::scheme s = c.make_scheme();
  const tridia::closure closed = tridia::default_closure(s);
  ends = static_cast<int>(closed.head().size());
  if (ends > most_ends || closed.tail().size() != closed.head().size()) {
    throw std::logic_error("a closure has more rows than the benchmark has room for");
  }
  interior = stencil_row(s.interior());
  for (int k = 0; k < ends; ++k) {
    head[k] = stencil_row(closed.head()[static_cast<std::size_t>(k)]);
    tail[k] = stencil_row(closed.tail()[static_cast<std::size_t>(k)]);
  }
}

tridia::near_toeplitz stencil_rows::matrix() const {
  const auto entries = [](const row& r) {
    return tridia::near_toeplitz::row{r.sub, r.diag, r.sup};
  };
  tridia::near_toeplitz m{.interior = entries(interior)};
  for (int k = 0; k < ends; ++k) {
    m.head.push_back(entries(head[k]));
    m.tail.push_back(entries(tail[k]));
  }
  return m;
}

}  // namespace tridia_bench
