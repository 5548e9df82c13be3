// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "solver/backward/products.hpp"
#include "tridia/backward.hpp"

namespace tridia::solver {

/// Describes the arrays of a backward pass, with every default filled in.
struct gradient_shapes {
  layout::resolved forward;  // dl, d, du, rhs and x of the forward problem
  layout::resolved arrays;   // gradients of dl, d, du; g in the place of rhs; gradient of rhs as x
};

/// Checks a forward problem and the layout of its gradients. Throws `error`, invalid_argument.
gradient_shapes resolve_gradients(const problem& forward, const backward_layout& layout);

/// Describes the problem that the gradient of rhs solves. Where it is one with the conjugate of A,
/// `conjugated` is set, and the operation is none.
struct adjoint_problem {
  tridia::problem problem;
  bool conjugated;
};
adjoint_problem make_adjoint_problem(const problem& forward, cotangents convention,
                                     const gradient_shapes& shapes);

/// Returns the passes that form the gradients of the coefficients.
std::vector<band_pass> make_passes(const problem& forward, cotangents convention,
                                   const gradient_shapes& shapes);

/// Returns whether the rows of the matrix A are those of the gradient of rhs, and its columns those
/// of x; for a transposed matrix it is the other way round.
inline bool has_rows_of_rhs(const problem& forward) { return forward.operation == operation::none; }

}  // namespace tridia::solver
