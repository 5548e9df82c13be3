// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

namespace tridia::cuda {

using namespace gpu;

/// Factors, solves with factors, and enters the statuses of both; it is a view of a task and of its
/// factored method.
class factored_solver {
 public:
  factored_solver(const task&, const factored_method&, const device_limits&);

  /// Enters the statuses of matrices, where they are asked for.
  cudaError_t factor(const operands&, const solver::factor_block&, cudaStream_t) const;
  /// Solves with the factors. There must be right-hand sides.
  cudaError_t solve(const operands&, const solver::factor_block&, void* workspace,
                    cudaStream_t) const;

 private:
  cudaError_t enter_statuses(const solver::factor_block&, index_t* status, cudaStream_t) const;

  const task& task_;
  const factored_method& method_;
  index_t concurrent_systems_;
};

/// Makes a method that factors each time, in the workspace, and solves with the factors.
std::unique_ptr<const method> make_factoring_method(const task&, const factored_method&,
                                                    const device_limits&);
/// Makes a method for a constant matrix, which is factored here. Throws `error` (singular) if it
/// has no inverse. Right-hand sides are solved by a scan where that can be done, or else by
/// substitution.
std::unique_ptr<const method> make_constant_method(const task&, const factored_method&,
                                                   const device_limits&);

}  // namespace tridia::cuda
