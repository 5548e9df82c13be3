// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange.hpp"

#include <nanobind/nanobind.h>

namespace tridia::python {

/// Says how the memory of an array is found.
enum class reading { described, buffer, exchange, cupy, other };

/// Names the frameworks whose arrays the extension takes without help of Python code.
enum class family { none, numpy, torch, cupy };

/// Describes what the arrays of one Python type have in common.
struct array_type {
  reading by = reading::other;
  python::family family = family::none;
  tensor_reader read = nullptr;  ///< This is the function of `reading::exchange`.
};

/// Returns what is known of the type of an object. It is found out once for each type: later calls
/// compare a pointer. The GIL guards the table.
const array_type& type_of(nanobind::handle object);

/// Returns a module that has been imported, or an invalid object.
nanobind::object imported(const char* module);

}  // namespace tridia::python
