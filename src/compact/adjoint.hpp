// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"
#include "compact/specification.hpp"

#include <memory>
#include <optional>

namespace tridia::compact {

/// The adjoint of a line operator, B^T A^-T scale, as line operators that are applied one after
/// another. Each is of the kind that every backend has kernels for: a stencil, a solve, a scale.
struct adjoint_steps {
  std::optional<line_operator::specification> scaling;  ///< The scale alone; absent where it is 1.
  line_operator::specification solve;                   ///< A^-T.
  line_operator::specification gather;  ///< B^T: a stencil, and the identity to solve with.
};

/// Of an operator none of whose rows are prescribed.
adjoint_steps adjoint_of(const line_operator::specification&);

/// An executor of the adjoint of the task's operator on the backend that its options name, which
/// goes through a field of as many values as the array that is read, in the workspace.
std::unique_ptr<const operator_executor> make_adjoint(const task&);

}  // namespace tridia::compact
