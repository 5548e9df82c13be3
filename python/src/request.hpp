// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "broadcast.hpp"
#include "plan_cache.hpp"
#include "run.hpp"

#include <vector>

namespace tridia::python {

/// Holds what a one-call form is asked for, besides its arrays.
struct request {
  index_t axis;
  bool periodic, pivoting;
  tridia::operation operation;
  tridia::algorithm algorithm;
  index_t threads;
};

/// Returns what Python's arguments ask for; throws TypeError or ValueError with their names.
request request_of(nb::handle axis, nb::handle periodic, nb::handle pivoting, nb::handle transpose,
                   nb::handle algorithm, nb::handle threads);

/// Returns the problem of a request, where x has these strides.
problem problem_of(const solve_shape& s, value_type type, const request& r,
                   std::vector<index_t> x_strides);
options options_of(const request& r, const place& w);

/// Returns the key of that problem on that place.
plan_key key_of(const solve_shape& s, value_type type, const request& r,
                const std::vector<index_t>& x_strides, const place& w);

/// Throws TypeError unless the arrays are all of the type of the last one, one of the four, and
/// ValueError unless they lie at `w`.
void check_alike(std::initializer_list<const array*> arrays, const place& w);

std::vector<index_t> strides_of(const array& a);
bool has_shape(const array& a, const std::vector<index_t>& extents);
/// Throws ValueError unless `a` has this shape, that of the result.
void check_result_shape(const array& a, const std::vector<index_t>& extents);

}  // namespace tridia::python
