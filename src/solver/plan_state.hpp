// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "solver/choice.hpp"
#include "solver/executor.hpp"
#include "tridia/plan.hpp"

#include <memory>
#include <optional>

namespace tridia {

/// Holds what a plan consists of.
struct plan::state {
  tridia::problem problem;
  tridia::options options;
  layout::resolved shapes;
  bool conjugated;  // the matrix is the conjugate of op(A)
  solver::choice chosen;
  std::unique_ptr<const solver::executor> executor;
};

namespace solver {

/// Says in which way a plan that is a part of something else differs from a user's.
struct plan_variant {
  const char* rhs_name = "rhs";  ///< What errors call the right-hand sides and the solution.
  const char* x_name = "x";
  /// If true, the plan solves with the conjugate of op(A): conj(A) has no `operation`. Not for
  /// constant coefficients.
  bool conjugated = false;
};

/// Makes the state of a plan. Throws as the constructor of `plan`, and std::bad_alloc.
std::unique_ptr<const plan::state> make_plan_state(problem problem, options options,
                                                   const plan_variant& variant);

/// Checks the arrays of an execution of a plan with coefficients of its own, and returns them in
/// the order of layout::array, or nothing where there is no system.
std::optional<operands> check_solve(const plan::state&, const void* dl, const void* d,
                                    const void* du, const void* rhs, void* x, const execution& e);

/// Checks that the caller's memory `name` is large enough, and lies where the executor runs.
void check_memory(const executor& of, const char* name, const void* p, std::size_t available,
                  std::size_t needed);

}  // namespace solver
}  // namespace tridia
