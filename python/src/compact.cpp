// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/compact.hpp"

#include "bind.hpp"
#include "names.hpp"
#include "native_operator.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace tridia::python {

void check_operand(const array& a, const extents& shape, const extents& strides, const place& w,
                   value_type type) {
  check_type(a, type, "the operator");
  check_place(a, w);
  bool same = a.rank() == static_cast<int>(shape.size()), empty = false;
  for (int k = 0; same && k < a.rank(); ++k) {
    same = a.extent(k) == shape[k];
    empty = empty || shape[k] == 0;
  }
  if (!same) {
    value_failure(a.name(), "its shape is " + a.shape_text() + ", but the operator's is " +
                                tuple_text(shape.data(), shape.size()));
  }
  for (int k = 0; k < a.rank() && !empty; ++k) {
    if (a.extent(k) < 2 || a.stride(k) == strides[k]) continue;
    extents own(shape.size());
    for (int j = 0; j < a.rank(); ++j) own[j] = a.stride(j);
    value_failure(a.name(), "its strides (in elements) are " + tuple_text(own.data(), own.size()) +
                                ", but the operator's are " +
                                tuple_text(strides.data(), strides.size()));
  }
}

namespace {

/// Holds a row of a scheme as Python code hands it over: sub, diag, sup, first, weights.
using plain_row = std::tuple<double, double, double, int, std::vector<double>>;

compact_row row_of(const plain_row& r) {
  return {std::get<0>(r), std::get<1>(r), std::get<2>(r), std::get<3>(r), std::get<4>(r)};
}

plain_row plain(const compact_row& r) { return {r.sub, r.diag, r.sup, r.first, r.weights}; }

std::vector<compact_row> rows_of(const std::vector<plain_row>& rows) {
  std::vector<compact_row> result;
  for (const plain_row& r : rows) result.push_back(row_of(r));
  return result;
}

std::vector<plain_row> plain(const std::vector<compact_row>& rows) {
  std::vector<plain_row> result;
  for (const compact_row& r : rows) result.push_back(plain(r));
  return result;
}

end_condition end_of(const std::string& text) {
  std::string all;
  for (int k = 0; k < 5; ++k) {
    const auto e = static_cast<end_condition>(k);
    if (name(e) == text) return e;
    all += (all.empty() ? "" : ", ") + std::string(name(e));
  }
  value_failure("ends", "\"" + text + "\" is none of " + all);
}

nb::object apply(const native_operator& op, nb::handle f, nb::object out, std::optional<double> add,
                 nb::handle space, nb::handle stream, nb::object empty) {
  const compact_operator& made = *op.made;
  const auto where =
      place_of(made.backend(), made.device(), stream, std::move(empty), {f}, {out, space});
  if (!where) return nb::borrow(Py_NotImplemented);
  const place& w = *where;
  const grid& g = made.grid();
  const array in("f", f);
  check_operand(in, op.shape(made.in_extents()),
                op.strides(made.in_extents(), g.in_strides, g.in_step), w, g.type);
  const extents shape = op.shape(made.out_extents());
  const extents strides = op.strides(made.out_extents(), g.out_strides, g.out_step);
  if (out.is_none()) {
    if (add) value_failure("add", "needs out, which the result is added to");
    if (!g.out_strides.empty()) {
      value_failure("out", "is needed, as the operator has strides for it");
    }
    out = new_array(w, shape, numpy_name(g.type));
  }
  const array result("out", out);
  check_writable(result);
  check_operand(result, shape, strides, w, g.type);
  const workspace memory(w, made.workspace_bytes(), space);
  const execution e{memory.data(), memory.bytes(), nullptr, w.stream};
  const nb::gil_scoped_release released;
  if (add) {
    made.apply_add(*add, static_cast<const void*>(in.data()), result.data(), e);
  } else {
    made.apply(static_cast<const void*>(in.data()), result.data(), e);
  }
  return out;
}

void make_operator(native_operator* self, const scheme& s, const std::optional<closure>& c,
                   extents shape, const std::string& type, int axis, double spacing, bool periodic,
                   std::array<std::string, 2> ends, std::vector<double> metric, bool transpose,
                   std::optional<index_t> fields, std::array<extents, 2> strides,
                   std::array<index_t, 2> steps, bool cuda, int device, int threads) {
  grid g;
  g.type = known<value_type>("dtype", type);
  g.extents = std::move(shape);
  g.axis = axis;
  g.spacing = spacing;
  g.boundary = periodic ? boundary::periodic : boundary::regular;
  g.head = end_of(ends[0]);
  g.tail = end_of(ends[1]);
  g.metric = std::move(metric);
  g.operation = transpose ? operation::transpose : operation::none;
  g.fields = fields.value_or(1);
  g.in_strides = std::move(strides[0]);
  g.out_strides = std::move(strides[1]);
  g.in_step = steps[0];
  g.out_step = steps[1];
  options o;
  o.backend = cuda ? backend::cuda : backend::cpu;
  o.device = device;
  o.threads = threads;
  const nb::gil_scoped_release released;
  owner<const compact_operator> made(c ? new compact_operator(s, *c, std::move(g), o)
                                       : new compact_operator(s, std::move(g), o));
  new (self) native_operator{std::move(made), fields.has_value(), s, c, o};
}

void bind_schemes(nb::module_& m) {
  nb::class_<scheme>(m, "Scheme")
      .def("__init__",
           [](scheme* self, const std::string& name, const std::string& quantity,
              const std::string& staggering, const plain_row& interior) {
             new (self)
                 scheme(name, known<tridia::quantity>("quantity", quantity),
                        known<tridia::staggering>("staggering", staggering), row_of(interior));
           })
      .def_prop_ro("name", [](const scheme& s) { return s.name(); })
      .def_prop_ro("quantity", [](const scheme& s) { return std::string(name(s.quantity())); })
      .def_prop_ro("staggering", [](const scheme& s) { return std::string(name(s.staggering())); })
      .def_prop_ro("interior", [](const scheme& s) { return plain(s.interior()); })
      .def_prop_ro("order", &scheme::order)
      .def("symbol", &scheme::symbol)
      .def("modified_wavenumber", &scheme::modified_wavenumber);
  nb::class_<closure>(m, "Closure")
      .def(
          "__init__",
          [](closure* self, const std::string& name, const std::string& quantity,
             const std::string& staggering, const std::vector<plain_row>& head,
             const std::optional<std::vector<plain_row>>& tail) {
            const auto q = known<tridia::quantity>("quantity", quantity);
            const auto s = known<tridia::staggering>("staggering", staggering);
            if (tail) {
              new (self) closure(name, q, s, rows_of(head), rows_of(*tail));
            } else {
              new (self) closure(name, q, s, rows_of(head));
            }
          },
          nb::arg("name"), nb::arg("quantity"), nb::arg("staggering"), nb::arg("head"),
          nb::arg("tail").none())
      .def_prop_ro("name", [](const closure& c) { return c.name(); })
      .def_prop_ro("quantity", [](const closure& c) { return std::string(name(c.quantity())); })
      .def_prop_ro("staggering", [](const closure& c) { return std::string(name(c.staggering())); })
      .def_prop_ro("head", [](const closure& c) { return plain(c.head()); })
      .def_prop_ro("tail", [](const closure& c) { return plain(c.tail()); })
      .def_prop_ro("orders", &closure::orders);
  m.def("find_scheme",
        [](const std::string& q, const std::string& name, const std::string& s, double alpha) {
          return find_scheme(known<quantity>("quantity", q), name,
                             known<staggering>("staggering", s), alpha);
        });
  m.def("scheme_names", [](const std::string& q, const std::string& s) {
    return scheme_names(known<quantity>("quantity", q), known<staggering>("staggering", s));
  });
  m.def("find_closure",
        [](const scheme& s, const std::string& name) { return find_closure(s, name); });
  m.def("default_closure", &default_closure);
  m.def("closure_choices", &closure_choices);
  m.def("closure_warning", &closure_warning);
}

}  // namespace

void bind_compact(nb::module_& m) {
  using nb::arg;
  bind_schemes(m);
  nb::class_<native_operator>(m, "Operator")
      .def("__init__", &make_operator, arg("scheme"), arg("closure").none(), arg("shape"),
           arg("type"), arg("axis"), arg("spacing"), arg("periodic"), arg("ends"), arg("metric"),
           arg("transpose"), arg("fields").none(), arg("strides"), arg("steps"), arg("cuda"),
           arg("device"), arg("threads"))
      .def("apply", &apply, arg("f").none(), arg("out").none(), arg("add").none(),
           arg("workspace").none(), arg("stream").none(), arg("empty").none())
      .def_prop_ro("in_shape",
                   [](const native_operator& p) { return p.shape(p.made->in_extents()); })
      .def_prop_ro("out_shape",
                   [](const native_operator& p) { return p.shape(p.made->out_extents()); })
      .def_prop_ro("device", [](const native_operator& p) { return p.made->device(); })
      .def_prop_ro("workspace_bytes",
                   [](const native_operator& p) { return p.made->workspace_bytes(); })
      .def_prop_ro("warning", [](const native_operator& p) { return p.made->warning(); })
      .def_prop_ro("description", [](const native_operator& p) { return p.made->description(); });
}

}  // namespace tridia::python
