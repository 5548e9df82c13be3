// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/plan.hpp"

#include "bind.hpp"
#include "names.hpp"
#include "native_plan.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>
#include <utility>

namespace tridia::python {
namespace {

using extents = std::vector<index_t>;
using matrix_row = std::array<std::complex<double>, 3>;
using matrix_rows = std::tuple<matrix_row, std::vector<matrix_row>, std::vector<matrix_row>>;

extents dense(const extents& shape) {
  extents strides(shape.size());
  index_t step = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    strides[k] = step;
    step *= std::max<index_t>(shape[k], 1);
  }
  return strides;
}

near_toeplitz matrix_of(const matrix_rows& rows) {
  const auto row = [](const matrix_row& r) { return near_toeplitz::row{r[0], r[1], r[2]}; };
  near_toeplitz m;
  m.interior = row(std::get<0>(rows));
  for (const matrix_row& r : std::get<1>(rows)) m.head.push_back(row(r));
  for (const matrix_row& r : std::get<2>(rows)) m.tail.push_back(row(r));
  return m;
}

/// Returns the shapes and strides that the arrays of a plan must have.
array_shape rhs_shape(const problem& p, const extents& strides, index_t step, bool stacked) {
  array_shape s{p.extents, strides.empty() ? dense(p.extents) : strides};
  if (!stacked) return s;
  index_t size = 1;
  for (const index_t e : p.extents) size *= e;
  s.extents.insert(s.extents.begin(), p.right_hand_sides);
  s.strides.insert(s.strides.begin(), step != 0 ? step : size);
  return s;
}

array_shape coefficient_shape(const problem& p, std::size_t axis, const extents& strides,
                              bool off_diagonal) {
  array_shape s{p.extents, strides};
  if (off_diagonal && p.short_off_diagonals) {
    index_t& rows = s.extents[axis];
    if (p.offsets.empty() || p.ragged_layout == ragged_layout::padded) {
      rows = std::max<index_t>(rows - 1, 0);
    } else {
      for (std::size_t k = 1; k < p.offsets.size(); ++k) rows -= p.offsets[k] > p.offsets[k - 1];
    }
  }
  if (p.coefficients == coefficients::shared) {
    s.extents = {s.extents[axis]};
    s.strides = {strides.empty() ? 1 : strides[axis]};
  } else if (strides.empty()) {
    s.strides = dense(s.extents);
  }
  return s;
}

void check_shape(const array& a, const array_shape& s) {
  bool same = a.rank() == static_cast<int>(s.extents.size());
  for (int k = 0; same && k < a.rank(); ++k) same = a.extent(k) == s.extents[k];
  if (!same) {
    value_failure(a.name(), "its shape is " + a.shape_text() + ", but the plan's is " +
                                tuple_text(s.extents.data(), s.extents.size()));
  }
  bool empty = false;
  for (const index_t e : s.extents) empty = empty || e == 0;
  for (int k = 0; k < a.rank() && !empty; ++k) {
    if (a.extent(k) < 2 || a.stride(k) == s.strides[k]) continue;
    extents own(static_cast<std::size_t>(a.rank()));
    for (int j = 0; j < a.rank(); ++j) own[j] = a.stride(j);
    value_failure(a.name(), "its strides (in elements) are " + tuple_text(own.data(), own.size()) +
                                ", but the plan's are " +
                                tuple_text(s.strides.data(), s.strides.size()));
  }
}

}  // namespace

native_plan::native_plan(tridia::problem p, const options& o, bool stacked_) : stacked(stacked_) {
  {
    const nb::gil_scoped_release released;
    made.reset(new tridia::plan(std::move(p), o));
  }
  const tridia::problem& q = made->problem();
  const auto axis =
      static_cast<std::size_t>(q.axis < 0 ? q.axis + static_cast<int>(q.extents.size()) : q.axis);
  b = rhs_shape(q, q.rhs_strides, q.rhs_step, stacked);
  out = rhs_shape(q, q.x_strides, q.x_step, stacked);
  if (q.coefficients != coefficients::constant) {
    dl = coefficient_shape(q, axis, q.dl_strides, true);
    d = coefficient_shape(q, axis, q.d_strides, false);
    du = coefficient_shape(q, axis, q.du_strides, true);
  }
  batch = q.extents;
  if (q.offsets.empty()) {
    batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(axis));
  } else {
    batch = {made->systems()};
  }
}

std::optional<place> native_plan::where(nb::handle stream, nb::object empty, handles inputs,
                                        handles others) const {
  return place_of(made->backend(), made->device(), stream, std::move(empty), inputs, others);
}

void native_plan::check(const array& a, const array_shape& s, const place& w) const {
  python::check_type(a, made->problem().type, "the plan");
  check_shape(a, s);
  check_place(a, w);
}

void native_plan::refuse_constant() const {
  if (made->problem().coefficients != coefficients::constant) return;
  value_failure("dl, d, du", "are not taken, as the plan has constant ones: use execute_constant");
}

nb::object native_plan::result(nb::object given, const place& w) const {
  if (!given.is_none()) return given;
  const tridia::problem& p = made->problem();
  if (!p.x_strides.empty() && out.strides != dense(out.extents)) {
    value_failure("out", "is needed, as the plan has strides for it");
  }
  return new_array(w, out.extents, numpy_name(p.type));
}

template <class Work>
nb::object native_plan::run(nb::handle b_, nb::object out_, statuses status, nb::handle space,
                            const place& w, Work work) const {
  const array rhs("b", b_);
  check(rhs, b, w);
  nb::object given = result(std::move(out_), w);
  const array x("out", given);
  check_writable(x);
  check(x, out, w);
  const workspace memory(w, made->workspace_bytes(), space);
  {
    const nb::gil_scoped_release released;
    work(rhs.data(), x.data(), execution{memory.data(), memory.bytes(), status.data(), w.stream});
  }
  status.raise_if_singular();
  return given;
}

nb::object native_plan::execute(nb::handle dl_, nb::handle d_, nb::handle du_, nb::handle b_,
                                nb::object out_, nb::handle status, nb::handle space,
                                nb::handle stream, nb::object empty) const {
  const auto w = where(stream, std::move(empty), {dl_, d_, du_, b_}, {out_, status, space});
  if (!w) return nb::borrow(Py_NotImplemented);
  refuse_constant();
  const array l("dl", dl_), m("d", d_), u("du", du_);
  check(l, dl, *w);
  check(m, d, *w);
  check(u, du, *w);
  return run(b_, std::move(out_), statuses(*w, batch, made->systems(), status), space, *w,
             [&](const void* rhs, void* x, const execution& e) {
               made->execute(l.data(), m.data(), u.data(), rhs, x, e);
             });
}

nb::object native_plan::execute_constant(nb::handle b_, nb::object out_, nb::handle status,
                                         nb::handle space, nb::handle stream,
                                         nb::object empty) const {
  const auto w = where(stream, std::move(empty), {b_}, {out_, status, space});
  if (!w) return nb::borrow(Py_NotImplemented);
  return run(b_, std::move(out_), statuses(*w, batch, made->systems(), status), space, *w,
             [&](const void* rhs, void* x, const execution& e) { made->execute(rhs, x, e); });
}

void native_plan::factor(nb::handle dl_, nb::handle d_, nb::handle du_, nb::handle factors,
                         nb::handle status, nb::handle space, std::uintptr_t stream,
                         nb::object empty) const {
  const place w{made->backend(), made->device(), reinterpret_cast<void*>(stream), std::move(empty)};
  refuse_constant();
  const array l("dl", dl_), m("d", d_), u("du", du_);
  check(l, dl, w);
  check(m, d, w);
  check(u, du, w);
  const workspace kept(w, made->factors_bytes(), factors);
  statuses s(w, batch, made->systems(), status);
  const workspace memory(w, made->workspace_bytes(), space);
  {
    const nb::gil_scoped_release released;
    made->factor(l.data(), m.data(), u.data(), kept.data(),
                 {memory.data(), memory.bytes(), s.data(), w.stream});
  }
  s.raise_if_singular();
}

nb::object native_plan::solve(nb::handle factors, nb::handle b_, nb::object out_, nb::handle space,
                              nb::handle stream, nb::object empty) const {
  const auto w = where(stream, std::move(empty), {factors, b_}, {out_, space});
  if (!w) return nb::borrow(Py_NotImplemented);
  const workspace kept(*w, made->factors_bytes(), factors);
  return run(
      b_, std::move(out_), statuses(), space, *w,
      [&](const void* rhs, void* x, const execution& e) { made->solve(kept.data(), rhs, x, e); });
}

namespace {

void make_plan(native_plan* self, extents shape, const std::string& type, int axis,
               const std::string& coefficients, const std::optional<matrix_rows>& matrix,
               bool short_off_diagonals, std::optional<index_t> right_hand_sides,
               std::array<extents, 5> strides, std::array<index_t, 2> steps, extents offsets,
               const std::string& ragged_layout, bool periodic, bool pivoting, nb::object transpose,
               bool cuda, int device, nb::object algorithm, std::array<int, 2> sizes,
               const std::string& transformation, const std::string& memory, int threads,
               std::optional<std::string> tuning) {
  tridia::problem p;
  p.type = known<value_type>("dtype", type);
  p.extents = std::move(shape);
  p.axis = axis;
  p.right_hand_sides = right_hand_sides.value_or(1);
  p.boundary = periodic ? boundary::periodic : boundary::regular;
  p.pivoting = pivoting ? tridia::pivoting::partial : tridia::pivoting::none;
  p.operation = operation_of(transpose);
  p.coefficients = known<tridia::coefficients>("coefficients", coefficients);
  p.short_off_diagonals = short_off_diagonals;
  p.dl_strides = std::move(strides[0]);
  p.d_strides = std::move(strides[1]);
  p.du_strides = std::move(strides[2]);
  p.rhs_strides = std::move(strides[3]);
  p.x_strides = std::move(strides[4]);
  p.rhs_step = steps[0];
  p.x_step = steps[1];
  p.offsets = std::move(offsets);
  p.ragged_layout = known<tridia::ragged_layout>("ragged_layout", ragged_layout);
  if (matrix) p.matrix = matrix_of(*matrix);
  options o;
  o.backend = cuda ? backend::cuda : backend::cpu;
  o.device = device;
  o.algorithm = algorithm_of(algorithm);
  o.threads = threads;
  o.parameters.switch_point = sizes[0];
  o.parameters.packing_depth = sizes[1];
  o.parameters.transformation = known<tridia::transformation>("transformation", transformation);
  o.parameters.memory = known<neato_memory>("memory", memory);
  if (tuning) o.tuning = std::make_shared<tuning_table>(tuning_table::parse(*tuning));
  new (self) native_plan(std::move(p), o, right_hand_sides.has_value());
}

}  // namespace

void bind_plan(nb::module_& m) {
  using nb::arg;
  nb::class_<native_plan>(m, "Plan")
      .def("__init__", &make_plan, arg("shape"), arg("type"), arg("axis"), arg("coefficients"),
           arg("matrix").none(), arg("short_off_diagonals"), arg("right_hand_sides").none(),
           arg("strides"), arg("steps"), arg("offsets"), arg("ragged_layout"), arg("periodic"),
           arg("pivoting"), arg("transpose").none(), arg("cuda"), arg("device"),
           arg("algorithm").none(), arg("sizes"), arg("transformation"), arg("memory"),
           arg("threads"), arg("tuning").none())
      .def("execute", &native_plan::execute, arg("dl").none(), arg("d").none(), arg("du").none(),
           arg("b").none(), arg("out").none(), arg("status").none(), arg("workspace").none(),
           arg("stream").none(), arg("empty").none())
      .def("execute_constant", &native_plan::execute_constant, arg("b").none(), arg("out").none(),
           arg("status").none(), arg("workspace").none(), arg("stream").none(), arg("empty").none())
      .def("factor", &native_plan::factor, arg("dl").none(), arg("d").none(), arg("du").none(),
           arg("factors"), arg("status").none(), arg("workspace").none(), arg("stream"),
           arg("empty").none())
      .def("solve", &native_plan::solve, arg("factors"), arg("b").none(), arg("out").none(),
           arg("workspace").none(), arg("stream").none(), arg("empty").none())
      .def_prop_ro("algorithm",
                   [](const native_plan& p) { return std::string(name(p.made->algorithm())); })
      .def_prop_ro("reason", [](const native_plan& p) { return p.made->reason(); })
      .def_prop_ro("systems", [](const native_plan& p) { return p.made->systems(); })
      .def_prop_ro("device", [](const native_plan& p) { return p.made->device(); })
      .def_prop_ro("threads", [](const native_plan& p) { return p.made->threads(); })
      .def_prop_ro("workspace_bytes",
                   [](const native_plan& p) { return p.made->workspace_bytes(); })
      .def_prop_ro("factors_bytes", [](const native_plan& p) { return p.made->factors_bytes(); });
}

}  // namespace tridia::python
