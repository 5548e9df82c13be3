// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "bind.hpp"
#include "tridia/info.hpp"

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
  add("tridia_backward", "cpu", tridia_jax_backward_cpu);
  add("tridia_constant", "cpu", tridia_jax_constant_cpu);
  add("tridia_operator", "cpu", tridia_jax_operator_cpu);
  if (query_system().cuda_built) {
    add("tridia_solve", "CUDA", tridia_jax_solve_cuda);
    add("tridia_backward", "CUDA", tridia_jax_backward_cuda);
    add("tridia_constant", "CUDA", tridia_jax_constant_cuda);
    add("tridia_operator", "CUDA", tridia_jax_operator_cuda);
  }
#endif
  return handlers;
}

}  // namespace

void bind_jax(nb::module_& m) {
  m.def("jax_handlers", &jax_handlers,
        "This function returns the handlers for XLA, each as (target, platform, capsule); an empty "
        "list where the build had no jaxlib.");
}

}  // namespace tridia::python
