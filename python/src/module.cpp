// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"
#include "bind.hpp"

#include <nanobind/stl/vector.h>

#include <utility>

namespace tridia::python {

void bind_arrays(nb::module_& m) {
  nb::class_<described_array>(m, "Array")
      .def("__init__",
           [](described_array* self, std::uintptr_t address, std::string type,
              std::vector<index_t> shape, std::vector<index_t> strides, bool cuda, int device,
              bool readonly, nb::object owner) {
             if (shape.size() != strides.size() || shape.size() > array::max_rank) {
               throw nb::value_error("strides: must be as many as there are axes, at most 64");
             }
             new (self)
                 described_array{address, std::move(type), std::move(shape), std::move(strides),
                                 cuda,    device,          readonly,         std::move(owner)};
           })
      .def_prop_ro("owner", [](const described_array& a) { return a.owner; });
}

}  // namespace tridia::python

// NOLINTNEXTLINE: the macro's own text
NB_MODULE(_native, m) {
  using namespace tridia::python;
  // Caches of this package outlive the interpreter, which is no fault to print.
  nanobind::set_leak_warnings(false);
  bind_errors(m);
  bind_arrays(m);
  bind_backward(m);
  bind_compact(m);
  bind_differential(m);
  bind_info(m);
  bind_jax(m);
  bind_plan(m);
  bind_solve(m);
}
