// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "jax_call.hpp"

#include <string_view>
#include <utility>

/// What the handlers of a solve and of its backward pass share: attributes, and the problem that
/// XLA's buffers pose.
namespace tridia::python {

/// Holds the attributes of a solve, as `tridia._jax_solve` passes them.
struct solve_attributes {
  int64_t axis;  ///< From 0.
  bool periodic, pivoting, short_off_diagonals;
  int64_t operation;  ///< The value of a `tridia::operation`.
  std::string_view algorithm;
  int64_t threads;
};

/// Holds the operands and the result, which have one rank. An operand has extent 1 where it is
/// broadcast along the batch; along the axis it has all its rows.
struct solve_arrays {
  const ffi::AnyBuffer &dl, &d, &du, &rhs, &x;
};

/// Returns the strides of a dense array in C order, 0 where it is broadcast along the batch.
std::vector<index_t> broadcast_strides(const ffi::AnyBuffer& a, std::size_t axis);

/// Throws `error` where an array of `rows` along the axis does not broadcast to x. XLA hands over
/// what Python passed, but a wrong stride would reach foreign memory.
void check_operand(const char* name, const ffi::AnyBuffer& a, const ffi::AnyBuffer& x,
                   std::size_t axis, index_t rows, value_type type);

/// Returns the number of entries of an off-diagonal.
index_t off_diagonal_rows(const ffi::AnyBuffer& x, const solve_attributes& o);

/// Returns the problem of a solve; throws `error` where its arrays do not fit each other.
problem problem_of(const solve_arrays& s, const solve_attributes& o);
options options_of(const call_place& at, const solve_attributes& o);

/// Makes a key of all that a plan for such a solve depends on.
void add_systems(cache_key& key, const solve_arrays& s, const call_place& at,
                 const solve_attributes& o);

/// Adds to a binding the attributes, in their order in `solve_attributes`.
template <class Binding>
auto with_solve_attributes(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Attr<int64_t>("axis")
      .template Attr<bool>("periodic")
      .template Attr<bool>("pivoting")
      .template Attr<bool>("short_off_diagonals")
      .template Attr<int64_t>("operation")
      .template Attr<std::string_view>("algorithm")
      .template Attr<int64_t>("threads");
}

}  // namespace tridia::python
