// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/arrays.hpp"

#include "core/refuse.hpp"
#include "tridia/error.hpp"

#include <string>

namespace tridia::compact {
namespace {

using layout::resolved_array;

bool is_complex(value_type t) { return t == value_type::c64 || t == value_type::c128; }
value_type real_type(value_type t) {
  return t == value_type::c64 ? value_type::f32 : t == value_type::c128 ? value_type::f64 : t;
}

/// Describes one of the two arrays: fields first, then the axes, then the parts of a complex
/// number.
resolved_array array_of(const grid& g, const char* name, const std::vector<index_t>& extents,
                        const std::vector<index_t>& strides, index_t step) {
  const std::string argument = name;
  if (!strides.empty() && strides.size() != extents.size()) {
    refuse(argument + "_strides: has " + std::to_string(strides.size()) + " entries, but extents " +
           layout::shape_text(extents) + " have " + std::to_string(extents.size()));
  }
  if (g.fields > 1 && step == 0 && !strides.empty()) {
    refuse(argument + "_step: is 0, but with " + argument + "_strides given and " +
           std::to_string(g.fields) + " fields it must say how far one is from the next");
  }
  resolved_array a{name, extents, strides.empty() ? layout::dense_strides(extents) : strides};
  a.extents.insert(a.extents.begin(), g.fields);
  a.strides.insert(a.strides.begin(), step != 0 ? step : layout::product(extents));
  layout::check_size(a, g.type);
  if (is_complex(g.type)) {
    for (index_t& s : a.strides) s *= 2;
    a.extents.push_back(2);
    a.strides.push_back(1);
  }
  return a;
}

}  // namespace

void grid_arrays::check_present(const resolved_array& a, const void* p) {
  if (a.empty() || p != nullptr) return;
  refuse(std::string(a.name) + ": is null, but its extents are " + layout::shape_text(a.extents) +
         " (fields first)");
}

void grid_arrays::check_apart(const void* in, const void* out) const {
  const void* const inputs[] = {nullptr, nullptr, nullptr, in};
  layout::check_overlap(shape, resolved, inputs, out);
}

std::size_t checked_axis(const grid& g) {
  const int rank = static_cast<int>(g.extents.size());
  if (rank == 0) refuse("extents: is empty, but a grid has at least one axis");
  for (const index_t e : g.extents) {
    if (e < 0) {
      refuse("extents: " + layout::shape_text(g.extents) + " holds " + std::to_string(e) +
             ", below 0");
    }
  }
  if (g.axis < -rank || g.axis >= rank) {
    refuse("axis: " + std::to_string(g.axis) + " is out of range for extents " +
           layout::shape_text(g.extents) + ": it must be from " + std::to_string(-rank) + " to " +
           std::to_string(rank - 1));
  }
  return static_cast<std::size_t>(g.axis < 0 ? g.axis + rank : g.axis);
}

void check_grid(const grid& g, const options& o) {
  const auto known = [](const char* argument, auto value) {
    if (name(value) != "invalid") return;
    refuse(std::string(argument) + ": " + std::to_string(static_cast<int>(value)) +
           " is none of its enumerators");
  };
  known("type", g.type);
  known("boundary", g.boundary);
  known("operation", g.operation);
  known("backend", o.backend);
  if (g.fields < 0) refuse("fields: " + std::to_string(g.fields) + " is below 0");
  if (o.threads < 0) refuse("threads: " + std::to_string(o.threads) + " is below 0");
  const algorithm_parameters& p = o.parameters;
  if (o.algorithm != algorithm::automatic || p.switch_point != 0 || p.packing_depth != 0 ||
      p.transformation != transformation::none) {
    throw error(errc::unsupported, "algorithm: " + std::string(name(o.algorithm)) +
                                       " or its parameters are asked for, but an operator chooses "
                                       "by itself: leave it automatic");
  }
}

grid_arrays arrays_of(const grid& g, std::size_t axis, line_extents along) {
  std::vector<index_t> in_extents = g.extents, out_extents = g.extents;
  in_extents[axis] = along.in;
  out_extents[axis] = along.out;
  grid_arrays a{};
  a.shape.type = real_type(g.type);
  layout::resolved& r = a.resolved;
  r.axis = static_cast<int>(axis) + 1;
  r.rows = along.out;
  r.in[layout::rhs_in] = array_of(g, "in", in_extents, g.in_strides, g.in_step);
  r.out = array_of(g, "out", out_extents, g.out_strides, g.out_step);
  layout::check_distinct(r.out);
  for (const layout::input k : {layout::dl, layout::d, layout::du}) {
    r.in[k].name = "none";
    r.in[k].extents.assign(r.out.extents.size(), 1);
    r.in[k].strides.assign(r.out.extents.size(), 0);
  }
  return a;
}

bool needs_closure(const grid& g) {
  return g.boundary == boundary::regular &&
         (g.head == end_condition::closure || g.tail == end_condition::closure);
}

closure usual_closure(const scheme& s, const grid& g) {
  return needs_closure(g) ? default_closure(s) : closure("none", s.quantity(), s.staggering(), {});
}

}  // namespace tridia::compact
