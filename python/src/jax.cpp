// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "bind.hpp"
#include "jax_make_operator.hpp"
#include "tridia/tridia.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#ifdef TRIDIA_PYTHON_JAX
#include "jax_handlers.hpp"
#endif

namespace tridia::python {
namespace {

namespace nb = nanobind;

nb::list jax_handlers() {
  nb::list handlers;
#ifdef TRIDIA_PYTHON_JAX
  const auto add = [&](const char* target, const char* platform, auto* handler) {
    // JAX looks for this name.
    nb::capsule capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
    handlers.append(nb::make_tuple(target, platform, capsule));
  };
  add("tridia_solve", "cpu", tridia_jax_solve_cpu);
  add("tridia_operator", "cpu", tridia_jax_operator_cpu);
  if (query_system().cuda_built) {
    add("tridia_solve", "CUDA", tridia_jax_solve_cuda);
    add("tridia_operator", "CUDA", tridia_jax_operator_cuda);
  }
#endif
  return handlers;
}

/// Refuses an operator while it is traced, by an exception at the line that asked for it: what a
/// handler refuses is found only when the program runs.
void check_operator(const std::string& type, std::vector<index_t> in, std::vector<index_t> out,
                    const std::string& quantity, const std::string& staggering,
                    const std::string& scheme, const std::string& closure, double alpha,
                    const std::vector<double>& scheme_rows, const std::vector<double>& closure_rows,
                    index_t axis, double spacing, bool periodic, const std::string& head,
                    const std::string& tail, const std::vector<double>& metric, bool adjoint,
                    index_t threads) {
  const auto value = parse<value_type>(type);
  if (!value) throw error(errc::invalid_argument, "f: " + type + " is not a type");
  (void)make_operator({*value, std::move(in), std::move(out)},
                      {quantity, staggering, scheme, closure, alpha, scheme_rows, closure_rows,
                       axis, spacing, periodic, head, tail, metric, adjoint, threads},
                      backend::reference, -1);
}

}  // namespace

void bind_jax(nb::module_& m) {
  m.def("jax_handlers", &jax_handlers,
        "This function returns the handlers for XLA, each as (target, platform, capsule); an empty "
        "list where the build had no jaxlib.");
  using namespace nb::literals;
  m.def("jax_check_operator", &check_operator, "type"_a, "in_shape"_a, "out_shape"_a, nb::kw_only(),
        "quantity"_a, "staggering"_a, "scheme"_a, "closure"_a, "alpha"_a, "scheme_rows"_a,
        "closure_rows"_a, "axis"_a, "spacing"_a, "periodic"_a, "head"_a, "tail"_a, "metric"_a,
        "adjoint"_a, "threads"_a,
        "This function raises an exception if there is no such compact operator.");
}

}  // namespace tridia::python
