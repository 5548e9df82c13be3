// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "c_api/guard.hpp"
#include "tridia/c/operator.h"
#include "tridia/c/plan.h"
#include "tridia/compact.hpp"
#include "tridia/plan.hpp"

namespace tridia::c_api {

/// These turn the structs of the C interface into those of the C++ one and back; null where a
/// struct is needed, one of another size, null arrays and counts below 0 are refused. What the
/// results of `as_c` point to is in their argument.
problem as_cpp(const tridia_problem* p);
tridia_problem as_c(const problem& p);
grid as_cpp(const tridia_grid* g);
tridia_grid as_c(const grid& g);
/// Null means the defaults.
options as_cpp(const tridia_options* o);
execution as_cpp(const tridia_execution* e);

/// Returns a copy of `count` entries.
template <class T, class Count>
std::vector<T> copied(const T* array, Count count, const char* name, const char* count_name) {
  check_array(array, count, name, count_name);
  return std::vector<T>(array, array + count);
}

/// Returns a copy of the entries that an array has for each axis; null means none.
std::vector<index_t> for_each_axis(const index_t* array, int rank);

/// Returns the address of the first entry, and null for an empty array, which is how structs say
/// so.
template <class T>
const T* address_of(const std::vector<T>& v) {
  return v.empty() ? nullptr : v.data();
}

/// Refuses a rank below 0 (one of 0 is refused by those who know what it is of) or too large.
void check_rank(int rank);

/// Returns the table of a handle.
std::shared_ptr<const tuning_table> tuning_of(const tridia_tuning* t);

}  // namespace tridia::c_api
