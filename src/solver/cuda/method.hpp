// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device_limits.hpp"
#include "layout/geometry.hpp"
#include "solver/cuda/backward/solution_bands.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

// A plan chooses among these methods to solve on a GPU; each is a family of kernels.
namespace tridia::cuda {

using namespace gpu;
using layout::geometry;
using solver::operands;
using solver::task;

/// Solves systems with one right-hand side each; coefficients are read in every solve.
class method {
 public:
  virtual ~method() = default;
  /// Describes the method; names all that tuning decides.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Returns the bytes of the workspace, with room for alignment.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }
  /// Launches the solve. The workspace is aligned.
  virtual cudaError_t solve(const operands&, std::byte* workspace, cudaStream_t) const = 0;
  /// Prepares `solve_and_form` for such gradients. Returns whether the method has it.
  virtual bool prepare_forming(const solution_bands&, const device_limits&) const { return false; }
  /// Launches the solve, whose kernel forms gradients as well.
  virtual cudaError_t solve_and_form(const operands&, const solution_bands&,
                                     const solver::product_operands&, cudaStream_t) const {
    return cudaErrorNotSupported;
  }
};

/// Factors matrices once, and solves right-hand sides with the factors: a block as
/// solver::split_factors cuts it, whatever is after the values.
class factored_method {
 public:
  virtual ~factored_method() = default;
  [[nodiscard]] virtual std::string description() const = 0;
  /// Returns whether right-hand sides are solved by a scan, unless rows are interchanged or grow.
  [[nodiscard]] virtual bool scans() const = 0;
  [[nodiscard]] virtual std::size_t factors_bytes() const = 0;
  /// Returns the bytes of the workspace that `substitute` needs.
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  virtual cudaError_t factor(const operands&, const solver::factor_block&, cudaStream_t) const = 0;
  /// Solves with the factors. Where right-hand sides share a status, that of their matrix is
  /// already there.
  virtual cudaError_t substitute(const operands&, const solver::factor_block&, void* workspace,
                                 cudaStream_t) const = 0;
  /// Factors, and solves with the factors. Right-hand sides do not share statuses.
  virtual cudaError_t solve(const operands& o, const solver::factor_block& factors, void* workspace,
                            cudaStream_t stream) const {
    const cudaError_t result = factor(o, factors, stream);
    return result == cudaSuccess ? substitute(o, factors, workspace, stream) : result;
  }
};

/// Choose the method for the current device. The task outlives the method; its `ragged` and
/// `off_diagonal` are there. There is no method where factors are made, and used, instead; no
/// factored method where none are saved.
std::unique_ptr<const method> choose_method(const task&, const device_limits&);
std::unique_ptr<const factored_method> choose_factored_method(const task&, const device_limits&);

/// Makes a method that solves several right-hand sides of a matrix together, or returns null where
/// there is none, or where `lines` fit the chip, which are the same lines as systems of their own.
std::unique_ptr<const method> make_sides_method(const task&, const task& lines,
                                                const device_limits&);

/// Returns the number of threads for so many systems, no more than can be resident: more would only
/// need more memory.
index_t concurrent_systems_for(index_t systems, const device_limits&);

inline index_t line_count(const task& t) {
  return t.geometry.matrices.size * t.geometry.right_sides.size;
}

}  // namespace tridia::cuda
