// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/cuda/method.hpp"

#include <optional>

// Short systems that share matrices: a thread factors a matrix in its registers, and substitutes
// for some of its right-hand sides, so that it reads the matrix once for all of these.
namespace tridia::cuda {

/// Up to so many rows of a matrix are kept in registers.
inline constexpr int longest_short = 8;

/// Says which lines a thread has: right-hand sides `first`, `first + apart` and so on of a matrix,
/// as far apart as possible, so that those of neighbouring threads are neighbours.
struct short_systems_shape {
  index_t apart;     // and so many threads have the same matrix
  bool sides_inner;  // neighbouring threads have right-hand sides of one matrix
};

/// Returns the shape for a problem, or nothing if there is none.
std::optional<short_systems_shape> plan_short_systems(const solver::task&);

struct short_systems_launches {
  cudaError_t (*solve)(const geometry&, const operands&, const short_systems_shape&, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
short_systems_launches short_systems_kernels(pivoting, boundary);

/// Makes the method, or returns null where every line has a matrix, or lines are longer.
std::unique_ptr<const method> make_short_systems(const solver::task&, const device_limits&);

}  // namespace tridia::cuda
