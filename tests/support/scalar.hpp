// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/random.hpp"
#include "tridia/types.hpp"

namespace tridia_test {

constexpr bool is_complex(tridia::value_type t) {
  return t == tridia::value_type::c64 || t == tridia::value_type::c128;
}
constexpr bool is_double(tridia::value_type t) {
  return t == tridia::value_type::f64 || t == tridia::value_type::c128;
}

/// Returns the distance from 1 to the next number of the type.
double epsilon(tridia::value_type type);

/// These load and store element `at` of an array of `type`.
wide load(tridia::value_type type, const void* array, index_t at);
void store(tridia::value_type type, void* array, index_t at, wide value);

}  // namespace tridia_test
