// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/assemble.hpp"
#include "compact/executor.hpp"
#include "compact/taylor.hpp"
#include "layout/resolve.hpp"
#include "tridia/compact.hpp"

#include <new>
#include <utility>

namespace tridia {

struct compact_operator::state {
  tridia::grid grid;
  tridia::options options;
  std::vector<index_t> out_extents;
  std::string warning;
  problem shape;  // of the arrays as real numbers, for the checks that plans make
  layout::resolved arrays;
  std::unique_ptr<const compact::executor> executor;
};

namespace {

using layout::resolved_array;

[[noreturn]] void refuse(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
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

bool is_complex(value_type t) { return t == value_type::c64 || t == value_type::c128; }
value_type real_type(value_type t) {
  return t == value_type::c64 ? value_type::f32 : t == value_type::c128 ? value_type::f64 : t;
}

/// One of the two arrays: fields first, then the axes, then the parts of a complex number.
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

layout::resolved resolve_arrays(const grid& g, const compact_operator::state& s, std::size_t axis,
                                index_t rows) {
  layout::resolved r{};
  r.axis = static_cast<int>(axis) + 1;
  r.rows = rows;
  r.in[layout::rhs_in] = array_of(g, "in", g.extents, g.in_strides, g.in_step);
  r.out = array_of(g, "out", s.out_extents, g.out_strides, g.out_step);
  layout::check_distinct(r.out);
  for (const layout::input k : {layout::dl, layout::d, layout::du}) {
    r.in[k].name = "none";
    r.in[k].extents.assign(r.out.extents.size(), 1);
    r.in[k].strides.assign(r.out.extents.size(), 0);
  }
  return r;
}

std::unique_ptr<const compact::executor> make_executor(const compact::task& t) {
  switch (t.options.backend) {
    case backend::cpu:
      return compact::make_cpu(t);
    case backend::reference:
      return compact::make_reference(t);
    case backend::cuda:
      return compact::make_cuda(t);
  }
  throw error(
      errc::invalid_argument,
      "backend: " + std::to_string(static_cast<int>(t.options.backend)) + " is not a backend");
}

bool needs_closure(const grid& g) {
  return g.boundary == boundary::regular &&
         (g.head == line_end::closure || g.tail == line_end::closure);
}

/// Of a scheme that need not have one, if no end asks for it.
closure usual_closure(const scheme& s, const grid& g) {
  return needs_closure(g) ? default_closure(s) : closure("none", s.what(), s.lies(), {});
}

std::unique_ptr<compact_operator::state> make_state(const scheme& s, const closure& c, grid g,
                                                    options o) {
  auto made = std::make_unique<compact_operator::state>();
  check_grid(g, o);
  const std::size_t axis = checked_axis(g);
  compact::task t{compact::assemble(s, c, g, g.extents[axis]), real_type(g.type), {}, o};
  made->out_extents = g.extents;
  made->out_extents[axis] = t.line.rows;
  made->arrays = resolve_arrays(g, *made, axis, t.line.rows);
  made->shape.type = t.type;
  t.geometry = layout::make_geometry(made->shape, made->arrays);
  if (needs_closure(g)) made->warning = closure_warning(s, c);
  made->executor = make_executor(t);
  made->grid = std::move(g);
  made->options = o;
  return made;
}

void check_array(const compact_operator::state& s, const resolved_array& a, const void* p) {
  if (a.empty()) return;
  if (p == nullptr) {
    refuse(std::string(a.name) + ": is null, but its extents are " + layout::shape_text(a.extents) +
           " (fields first)");
  }
  s.executor->check_pointer(a.name, p);
}

void check_workspace(const compact_operator::state& s, const execution& e) {
  const std::size_t needed = s.executor->workspace_bytes();
  if (needed == 0) return;
  if (e.workspace == nullptr || e.workspace_bytes < needed) {
    refuse("workspace: has " + std::to_string(e.workspace == nullptr ? 0 : e.workspace_bytes) +
           " bytes, but " + std::to_string(needed) + " are needed");
  }
  s.executor->check_pointer("workspace", e.workspace);
}

void run(const compact_operator::state& s, const void* in, void* out, double factor,
         bool accumulate, const execution& e) {
  check_array(s, s.arrays.in[layout::rhs_in], in);
  check_array(s, s.arrays.out, out);
  const void* const inputs[] = {nullptr, nullptr, nullptr, in};
  layout::check_overlap(s.shape, s.arrays, inputs, out);
  check_workspace(s, e);
  if (s.arrays.out.empty()) return;
  s.executor->apply({in, out, factor, accumulate, nullptr, e.workspace, e.stream});
}

}  // namespace

compact_operator::compact_operator(const scheme& s, tridia::grid g, options o)
    : compact_operator(s, usual_closure(s, g), g, std::move(o)) {}

compact_operator::compact_operator(const scheme& s, const closure& c, tridia::grid g, options o) try
    : state_(make_state(s, c, std::move(g), std::move(o))) {
} catch (const std::bad_alloc&) {
  throw error(errc::out_of_memory, "an operator: host memory ran out");
}

compact_operator::~compact_operator() = default;
compact_operator::compact_operator(compact_operator&&) noexcept = default;
compact_operator& compact_operator::operator=(compact_operator&&) noexcept = default;

const grid& compact_operator::grid() const noexcept { return state_->grid; }
const std::vector<index_t>& compact_operator::out_extents() const noexcept {
  return state_->out_extents;
}
backend compact_operator::backend() const noexcept { return state_->options.backend; }
int compact_operator::cuda_device() const noexcept { return state_->executor->cuda_device(); }
int compact_operator::threads() const noexcept { return state_->executor->threads(); }
std::size_t compact_operator::workspace_bytes() const noexcept {
  return state_->executor->workspace_bytes();
}
const std::string& compact_operator::warning() const noexcept { return state_->warning; }

void compact_operator::apply(const void* in, void* out, const execution& e) const {
  run(*state_, in, out, 1, false, e);
}

void compact_operator::apply_add(double s, const void* in, void* out, const execution& e) const {
  run(*state_, in, out, s, true, e);
}

void compact_operator::require_type(value_type type) const {
  if (type == state_->grid.type) return;
  refuse("arrays: are of type " + std::string(name(type)) + ", but the operator is for " +
         std::string(name(state_->grid.type)));
}

std::unique_ptr<std::byte[]> compact_operator::host_workspace() const {
  if (backend() == backend::cuda) {
    refuse("workspace: must be given to an operator on a GPU, in its memory");
  }
  const std::size_t bytes = workspace_bytes();
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (!memory) {
    throw error(errc::out_of_memory,
                "workspace: no host memory for " + std::to_string(bytes) + " bytes");
  }
  return memory;
}

}  // namespace tridia
