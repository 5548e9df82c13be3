// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/backward/products.hpp"
#include "solver/executor.hpp"

#include <optional>

// The gradients of a matrix are products of the solution y of the adjoint problem and x of the
// forward one. A kernel that has y on the chip forms them there: y is not read again.
namespace tridia::cuda {

using solver::band_count;

/// Names the arrays that such a kernel has beside those of the solve: x of the forward problem, and
/// the gradient of each band.
enum band_array { forward_x, first_gradient, band_array_count = first_gradient + band_count };

/// Describes the gradients of matrices that have one right-hand side each.
struct solution_bands {
  solver::band_rule rule;
  bool y_is_u;  // rows of the matrix are those of y, and its columns those of x; or reversed
  int lanes;    // threads beside each other, a warp at most, that take a line along memory
  layout::along lines[band_array_count];
  layout::axes_of<band_array_count> matrices;  // numbered as the matrices of the solve
};

/// Returns the gradients that a kernel which solves `adjoint` could form beside it, those of
/// `pass`, or nothing if they are sums or lines are numbered otherwise.
std::optional<solution_bands> bands_of_solution(const solver::task& adjoint,
                                                const solver::band_pass& pass, bool y_is_u);

/// Adds the arrays of an execution. Gradients that are not wanted are null.
template <class V>
struct formed_bands : solution_bands {
  static constexpr bool any = true;
  const V* x;
  V* to[band_count];
};
/// Stands for `formed_bands` in a kernel that solves alone.
struct no_bands {
  static constexpr bool any = false;
};

template <class V>
formed_bands<V> with_arrays(const solution_bands& b, const solver::product_operands& o) {
  formed_bands<V> f{b, static_cast<const V*>(b.y_is_u ? o.v : o.u), {}};
  for (int k = 0; k < band_count; ++k) f.to[k] = static_cast<V*>(o.to[k]);
  return f;
}

}  // namespace tridia::cuda
