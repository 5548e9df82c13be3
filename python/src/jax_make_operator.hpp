// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace tridia::python {

using numbers = std::span<const double>;

/// Describes a compact operator, as `tridia._jax_operator` passes it. Enumerations come as their
/// names.
struct operator_attributes {
  std::string_view quantity, staggering, scheme, closure;
  /// These are the rows of the scheme and of the closure (see `row_reader`); without the latter,
  /// ends have their usual closure.
  numbers scheme_rows, closure_rows;
  index_t axis;  ///< From 0.
  double spacing;
  bool periodic;
  std::string_view head, tail;
  numbers metric;
  bool adjoint;
};

/// Describes the arrays that an operator reads and writes.
struct operator_arrays {
  value_type type;
  std::vector<index_t> in, out;
};

/// Makes the operator. Throws `error` where the description is wrong, or does not write an array of
/// this shape.
compact_operator make_operator(const operator_arrays& arrays, const operator_attributes& o,
                               backend backend, int device);

}  // namespace tridia::python
