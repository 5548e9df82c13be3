// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "bind.hpp"
#include "request.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

namespace tridia::python {
namespace {

/// It is never destroyed: plans of a GPU would be freed after the driver has gone.
plan_cache<plan>& plans() {
  static auto* const cache = new plan_cache<plan>(most_plans);
  return *cache;
}

/// Returns a new array for the result. It is dense in C order, but NumPy's is laid out as b is
/// where it has b's shape.
nb::object result_like(nb::handle b, const array& rhs, const solve_shape& s, const place& w) {
  const bool numpy = w.framework == &numpy_framework();
  if (has_shape(rhs, s.extents) && (numpy || rhs.is_dense())) return new_array_like(w, b, rhs);
  return new_array(w, s.extents, rhs.type_text().c_str());
}

/// Solves with arrays of one of the four types and one place. Where the stream is None, it returns
/// NotImplemented if they are not, or Python code has to look at them: `solve` there makes them so.
nb::object solve(nb::handle dl, nb::handle d, nb::handle du, nb::handle b, nb::handle axis,
                 nb::handle periodic, nb::handle pivoting, nb::handle transpose, nb::object out,
                 nb::handle status, nb::handle algorithm, nb::handle threads, bool cuda, int device,
                 nb::handle stream, nb::object empty) {
  const framework* found = nullptr;
  if (stream.is_none()) {
    found = framework_of({dl, d, du, b}, {out, status});
    if (found == nullptr) return nb::borrow(Py_NotImplemented);
  }
  const array l("dl", dl), m("d", d), u("du", du), rhs("b", b);
  const bool same = rhs.is_number() && l.is_number() && m.is_number() && u.is_number() &&
                    l.type() == rhs.type() && m.type() == rhs.type() && u.type() == rhs.type();
  if (found != nullptr && !same) return nb::borrow(Py_NotImplemented);
  const place w = found != nullptr ? place_beside(b, rhs, *found)
                                   : place_given(cuda ? backend::cuda : backend::cpu, device,
                                                 stream, std::move(empty));
  check_alike({&l, &m, &u, &rhs}, w);
  const request r = request_of(axis, periodic, pivoting, transpose, algorithm, threads);
  const solve_shape s = broadcast(l, m, u, rhs, r.axis, r.periodic);
  if (out.is_none()) out = result_like(b, rhs, s, w);
  const array x("out", out);
  check_type(x, rhs.number_type(), "b");
  check_place(x, w);
  check_writable(x);
  check_result_shape(x, s.extents);
  const std::vector<index_t> x_strides = strides_of(x);
  const auto made = plans().find(key_of(s, rhs.number_type(), r, x_strides, w), [&] {
    const nb::gil_scoped_release released;
    return plan(problem_of(s, rhs.number_type(), r, x_strides), options_of(r, w));
  });
  std::vector<index_t> batch = s.extents;
  batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(s.axis));
  statuses state(w, std::move(batch), made->systems(), status);
  const workspace memory(w, made->workspace_bytes(), nb::none());
  {
    const nb::gil_scoped_release released;
    made->execute(l.data(), m.data(), u.data(), rhs.data(), x.data(),
                  {memory.data(), memory.bytes(), state.data(), w.stream});
  }
  state.raise_if_singular();
  return out;
}

/// Returns a coefficient as the array that a plan of these strides takes.
described_array view_of(const array& a, const solve_shape& s, const std::vector<index_t>& strides,
                        bool off_diagonal, nb::handle owner) {
  std::vector<index_t> extents = s.extents, own = strides;
  if (off_diagonal && s.short_off_diagonals) --extents[s.axis];
  if (s.shared) {
    extents = {extents[s.axis]};
    own = {strides[s.axis]};
  }
  return {reinterpret_cast<std::uintptr_t>(a.data()),
          a.type_text(),
          std::move(extents),
          std::move(own),
          a.on_cuda(),
          a.device(),
          a.readonly(),
          nb::borrow(owner)};
}

/// Broadcasts coefficients to a shape (None for what they broadcast to), for a plan that factors
/// them: returns the plan's arguments, and the coefficients as it takes them.
nb::dict broadcast_to(nb::handle dl, nb::handle d, nb::handle du,
                      std::optional<std::vector<index_t>> shape, nb::handle axis,
                      nb::handle periodic) {
  const array l("dl", dl), m("d", d), u("du", du);
  nb::object like = nb::borrow(d);
  if (shape) {
    const std::vector<index_t> strides(shape->size(), 1);
    like =
        nb::cast(described_array{0, m.type_text(), *shape, strides, false, -1, true, nb::none()});
  }
  const array b(shape ? "shape" : "d", like);
  const solve_shape s =
      broadcast(l, m, u, b, integer_of("axis", axis), flag_of("periodic", periodic));
  if (shape && s.extents != *shape) {
    value_failure("shape", tuple_text(shape->data(), shape->size()) +
                               ", but the coefficients broadcast to " +
                               tuple_text(s.extents.data(), s.extents.size()));
  }
  nb::dict views, result;
  views["dl"] = view_of(l, s, s.dl, true, dl);
  views["d"] = view_of(m, s, s.d, false, d);
  views["du"] = view_of(u, s, s.du, true, du);
  result["views"] = views;
  result["shape"] = s.extents;
  result["axis"] = s.axis;
  result["short"] = s.short_off_diagonals;
  result["shared"] = s.shared;
  result["dl"] = s.dl;
  result["d"] = s.d;
  result["du"] = s.du;
  return result;
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("solve", &solve, nb::arg("dl").none(), nb::arg("d").none(), nb::arg("du").none(),
        nb::arg("b").none(), nb::arg("axis").none(), nb::arg("periodic").none(),
        nb::arg("pivoting").none(), nb::arg("transpose").none(), nb::arg("out").none(),
        nb::arg("status").none(), nb::arg("algorithm").none(), nb::arg("threads").none(),
        nb::arg("cuda"), nb::arg("device"), nb::arg("stream").none(), nb::arg("empty").none());
  m.def("broadcast", &broadcast_to, nb::arg("dl"), nb::arg("d"), nb::arg("du"),
        nb::arg("shape").none(), nb::arg("axis").none(), nb::arg("periodic").none());
  m.def("cached_plans", [] { return plans().size(); });
  m.def("clear_plans", [] { plans().clear(); });
  // Tests compare these addresses with those of the arrays: nothing is copied on the way.
  m.def("address",
        [](nb::handle a) { return reinterpret_cast<std::uintptr_t>(array("array", a).data()); });
}

}  // namespace tridia::python
