// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"
#include "compact/specification.hpp"

#include <memory>
#include <optional>

namespace tridia::compact {

/// Holds the adjoint of a line operator, B^T A^-T scale, as line operators that are applied one
/// after another. Every backend has kernels for each of them: a stencil, a solve, a scale.
struct adjoint_steps {
  std::optional<line_operator::specification> scaling;  ///< The scale alone; absent where it is 1.
  line_operator::specification solve;                   ///< A^-T.
  line_operator::specification gather;  ///< B^T: a stencil, and the identity to solve with.
};

/// Returns the adjoint of an operator without prescribed rows.
adjoint_steps adjoint_of(const line_operator::specification&);

/// Returns the adjoint as one line operator whose stencil comes last; nothing where lines of `in`
/// and `out` differ in their number of points, or rows are prescribed.
std::optional<line_operator::specification> adjoint_at_once(const line_operator::specification&);

/// Describes a dense field of `rows` values per line between two steps. Its axes have the order of
/// those of the arrays: neighbouring lines stay neighbours, lines that are contiguous stay so.
struct field_strides {
  index_t step;
  index_t of[layout::max_axes];
};
field_strides strides_of(const layout::geometry&, index_t rows);
/// Returns the geometry with lines of `rows` results, and one of its arrays replaced by the field.
layout::geometry with_field(layout::geometry, index_t rows, layout::array which,
                            const field_strides&);

/// Makes an executor of the adjoint of the task's operator, in steps, on the backend that its
/// options name. It uses a field in the workspace with as many values as the array that is read.
std::unique_ptr<const operator_executor> make_adjoint(const task&);

}  // namespace tridia::compact
