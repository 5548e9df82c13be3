// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"
#include "tridia/plan.hpp"
#include "tridia/problem.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tridia {

/// Says how derivatives with respect to complex numbers are written down. Real problems know no
/// difference.
enum class cotangents {
  linear,     ///< JAX's: a change dz of z changes the loss by Re(sum of gradient * dz).
  conjugate,  ///< PyTorch's: it changes the loss by Re(sum of conj(gradient) * dz).
};

/// Says where the arrays of a backward pass lie that the forward solve does not have. Strides and
/// steps are as in `problem`.
struct backward_layout {
  /// These strides are those of the gradients. Empty means those of the array itself (of `dl` for
  /// the gradient of dl, and so on). A gradient of a coefficient is summed over the axes along
  /// which its stride is 0: those along which the coefficient is shared or broadcast, or any other.
  /// The gradient of rhs is never summed, and has no stride of 0.
  std::vector<index_t> dl_strides{}, d_strides{}, du_strides{}, rhs_strides{};
  /// These strides are those of the cotangent `g`; empty means those of `x`.
  std::vector<index_t> g_strides{};
  /// These steps lead from one right-hand side to the next; 0 means `rhs_step` and `x_step` of the
  /// problem where the strides are empty, or else must be given.
  index_t rhs_step = 0, g_step = 0;
};

/// Holds the arrays that a backward pass writes. `dl`, `d` and `du` have the shapes of the
/// coefficients and are null where they are not wanted. `rhs` has the shape of x and is always
/// there: the others are formed from it.
struct gradients {
  void* dl = nullptr;
  void* d = nullptr;
  void* du = nullptr;
  void* rhs = nullptr;
};

/// A backward plan prepares the gradients of a solve, the step of reverse-mode differentiation that
/// belongs to `plan::execute`.
///
/// Where op(A) x = rhs, and g is the cotangent of x (the derivative of a loss with respect to x),
/// the gradient of rhs is y, which solves op(A)^T y = g (op(A)^H y = g for
/// `cotangents::conjugate`), and the gradients of the coefficients are the diagonals of -y x^T
/// (-y x^H): for `operation::none` d[k] = -y[k] x[k], dl[k] = -y[k] x[k-1], du[k] = -y[k] x[k+1].
/// The gradients of dl[0] and du[n-1] are those of the corners if the system is periodic, and else
/// exactly 0. Gradients are summed over the right-hand sides of a matrix and over the systems that
/// share it; a plan forms these sums in one order, so that every execution gives the same bits.
///
/// The first launch solves, by an algorithm of the library, and moves 5 words a row; the second one
/// reads y and x and writes three diagonals, 5 words a row more. It is left out where no gradient
/// of a coefficient is wanted. On a GPU one launch does both, 9 words a row, where lines along
/// memory fit the chip, nothing is summed, and no gradient of a coefficient takes the place of an
/// array that is read (`reason`).
///
/// What is said of `plan` about threads, lifetime, allocation, streams and CUDA graphs holds here
/// too.
class backward_plan {
 public:
  /// Prepares the backward pass of a plan for the problem `forward`. The options are those of a
  /// plan for the transposed problem. Throws `error` as `plan` does, and invalid_argument for a
  /// layout in which elements of a gradient overlap, or sums of a ragged batch.
  explicit backward_plan(tridia::problem forward, options options = {},
                         cotangents convention = cotangents::linear, backward_layout layout = {});
  ~backward_plan();
  backward_plan(backward_plan&&) noexcept;
  backward_plan& operator=(backward_plan&&) noexcept;

  /// Returns the problem of the forward solve as it was given.
  [[nodiscard]] const tridia::problem& problem() const noexcept;
  [[nodiscard]] tridia::backend backend() const noexcept;
  /// Returns the algorithm that solves with the transposed matrix.
  [[nodiscard]] tridia::algorithm algorithm() const noexcept;
  /// Returns a sentence that says why the plan uses this algorithm.
  [[nodiscard]] const std::string& reason() const noexcept;
  /// Returns the number of systems (right-hand sides not counted): the entries of a status.
  [[nodiscard]] index_t systems() const noexcept;
  /// Returns the GPU of a CUDA plan; -1 otherwise.
  [[nodiscard]] int device() const noexcept;
  /// Returns the number of threads that a CPU plan uses; 1 otherwise.
  [[nodiscard]] int threads() const noexcept;
  /// Returns the bytes of workspace that an execution needs: those of the solve, or those of the
  /// partial sums of gradients.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Computes gradients: `dl`, `d` and `du` are those of the forward solve, `x` is its solution and
  /// `g` the cotangent of x. x may be null if only the gradient of rhs is wanted.
  ///
  /// The status is that of the transposed systems. Where it is not 0, the gradient of rhs is NaN
  /// throughout, and so are the gradients of the coefficients, and the sums that the system has a
  /// part in; dl[0] and du[n-1] are still 0 unless the system is periodic.
  ///
  /// The gradient of rhs may be the very same array as `g` or a coefficient: same pointer, same
  /// strides. So may the gradient of a coefficient be a coefficient or `g`, which are read before.
  /// Gradients may not share elements with x or with each other; every overlap but these is
  /// refused. Throws `error`: invalid_argument or wrong_device before any work is done,
  /// device_failure if CUDA refuses the work.
  void execute(const void* dl, const void* d, const void* du, const void* x, const void* g,
               const gradients& to, const execution& e) const;

  /// Computes the gradient of rhs where the coefficients are constant: the only one that there is.
  /// Such a plan does not have the form above, nor any other plan this one (invalid_argument).
  /// `rhs_gradient` may be `g`. Throws as the form above.
  void execute(const void* g, void* rhs_gradient, const execution& e) const;

 private:
  struct state;
  std::unique_ptr<const state> state_;
};

}  // namespace tridia
