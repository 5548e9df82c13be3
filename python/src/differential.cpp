// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/differential.hpp"

#include "bind.hpp"
#include "names.hpp"
#include "native_operator.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridia::python {
namespace {

using operators = std::vector<const native_operator*>;

/// Holds an operator of several terms for Python, with what its arrays must be.
struct native_differential {
  owner<const differential_operator> made;
  struct operand {
    extents shape, strides;
    bool is_strided;
  };
  std::vector<operand> in, out;
  value_type type;
};

differential kind_of(const std::string& text) {
  for (const auto d : {differential::gradient, differential::divergence, differential::laplacian}) {
    if (name(d) == text) return d;
  }
  value_failure("kind", "\"" + text + "\" is none of gradient, divergence, laplacian");
}

void make_differential(native_differential* self, const std::string& kind, const operators& terms) {
  std::vector<differential_term> all;
  native_differential made{};
  for (const native_operator* t : terms) {
    const grid& g = t->made->grid();
    all.push_back({t->scheme, g, 1, t->closure});
    const extents &from = t->made->in_extents(), &to = t->made->out_extents();
    made.in.push_back(
        {t->shape(from), t->strides(from, g.in_strides, g.in_step), !g.in_strides.empty()});
    made.out.push_back(
        {t->shape(to), t->strides(to, g.out_strides, g.out_step), !g.out_strides.empty()});
    made.type = g.type;
  }
  const differential d = kind_of(kind);
  const options o = terms.empty() ? options{} : terms.front()->options;
  {
    const nb::gil_scoped_release released;
    made.made.reset(new differential_operator(d, std::move(all), o));
  }
  made.in.resize(made.made->in_count());
  made.out.resize(made.made->out_count());
  new (self) native_differential(std::move(made));
}

/// Returns the items of a list or a tuple that must have so many.
std::vector<nb::object> items_of(const char* name, nb::handle list, std::size_t count) {
  std::vector<nb::object> items;
  for (nb::handle item : list) items.push_back(nb::borrow(item));
  if (items.size() == count) return items;
  value_failure(name, "has " + std::to_string(items.size()) + " arrays, but there must be " +
                          std::to_string(count));
}

nb::object apply(const native_differential& op, nb::handle fields, nb::object outs,
                 std::optional<double> add, nb::handle space, nb::handle stream, nb::object empty) {
  const differential_operator& made = *op.made;
  const std::vector<nb::object> given = items_of("fields", fields, op.in.size());
  std::vector<nb::object> results;
  if (!outs.is_none()) results = items_of("out", outs, op.out.size());
  // The first arrays say where the call goes: all others are checked against that.
  const nb::handle first_out = results.empty() ? nb::handle(Py_None) : nb::handle(results[0]);
  const auto where = place_of(made.backend(), made.device(), stream, std::move(empty), {given[0]},
                              {first_out, space});
  if (!where) return nb::borrow(Py_NotImplemented);
  const place& w = *where;
  std::deque<array> arrays;
  std::vector<const void*> in;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const array& a = arrays.emplace_back("f", given[k]);
    check_operand(a, op.in[k].shape, op.in[k].strides, w, op.type);
    in.push_back(a.data());
  }
  if (results.empty()) {
    if (add) value_failure("add", "needs out, which the result is added to");
    for (const native_differential::operand& o : op.out) {
      if (o.is_strided) {
        value_failure("out", "is needed, as the operator has strides for it");
      }
      results.push_back(new_array(w, o.shape, numpy_name(op.type)));
    }
  }
  std::vector<void*> out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const array& a = arrays.emplace_back("out", results[k]);
    check_writable(a);
    check_operand(a, op.out[k].shape, op.out[k].strides, w, op.type);
    out.push_back(a.data());
  }
  const workspace memory(w, made.workspace_bytes(), space);
  const execution e{memory.data(), memory.bytes(), nullptr, w.stream};
  {
    const nb::gil_scoped_release released;
    add ? made.apply_add(*add, in, out, e) : made.apply(in, out, e);
  }
  nb::list list;
  for (nb::object& r : results) list.append(std::move(r));
  return list;
}

}  // namespace

void bind_differential(nb::module_& m) {
  using nb::arg;
  nb::class_<native_differential>(m, "DifferentialOperator")
      .def("__init__", &make_differential, arg("kind"), arg("terms"))
      .def("apply", &apply, arg("fields"), arg("out").none(), arg("add").none(),
           arg("workspace").none(), arg("stream").none(), arg("empty").none())
      .def_prop_ro("workspace_bytes",
                   [](const native_differential& p) { return p.made->workspace_bytes(); })
      .def_prop_ro("description",
                   [](const native_differential& p) { return p.made->description(); });
}

}  // namespace tridia::python
