// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace tridia::python {

// Each of these adds the classes and functions of one source file to the module.
void bind_arrays(nanobind::module_& m);
void bind_backward(nanobind::module_& m);
void bind_compact(nanobind::module_& m);
void bind_differential(nanobind::module_& m);
void bind_errors(nanobind::module_& m);
void bind_info(nanobind::module_& m);
void bind_jax(nanobind::module_& m);
void bind_plan(nanobind::module_& m);
void bind_solve(nanobind::module_& m);

}  // namespace tridia::python
