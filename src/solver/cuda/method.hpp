// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device_limits.hpp"
#include "layout/geometry.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

// The ways to solve on a GPU, a family of kernels each: what a plan chooses among.
namespace tridia::cuda {

using namespace gpu;
using layout::geometry;
using solver::operands;
using solver::task;

/// Systems with a right-hand side each, coefficients and all.
class method {
 public:
  virtual ~method() = default;
  /// How it goes about the work; names all that tuning decides.
  [[nodiscard]] virtual std::string description() const = 0;
  /// So that there is room for aligning them.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }
  /// The workspace is aligned.
  virtual cudaError_t solve(const operands&, std::byte* workspace, cudaStream_t) const = 0;
};

/// Matrices that are factored once, and right-hand sides that are solved for with the factors: a
/// block as solver::split_factors cuts it, whatever is after the words.
class factored_method {
 public:
  virtual ~factored_method() = default;
  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual std::size_t factors_bytes() const = 0;
  /// Of `substitute`.
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  virtual cudaError_t factor(const operands&, const solver::factor_block&, cudaStream_t) const = 0;
  /// Where right-hand sides share a status, that of their matrix is there.
  virtual cudaError_t substitute(const operands&, const solver::factor_block&, void* workspace,
                                 cudaStream_t) const = 0;
};

/// On the current device. The task outlives the method; its `ragged` and `off_diagonal` are there.
/// No method where factors are made, and used, instead; no factored one where none are kept.
std::unique_ptr<const method> choose_method(const task&, const device_limits&);
std::unique_ptr<const factored_method> choose_factored_method(const task&, const device_limits&);

/// Threads for as many systems, no more than can be resident: more would only need more memory.
index_t concurrent_systems_for(index_t systems, const device_limits&);

inline index_t line_count(const task& t) {
  return t.geometry.matrices.size * t.geometry.right_sides.size;
}

}  // namespace tridia::cuda
