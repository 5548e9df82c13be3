// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

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

/// Draws that many numbers by `draw_number`.
template <class T>
std::vector<T> random_values(rng& random, std::size_t count) {
  constexpr tridia::value_type type = tridia::value_type_of<T>;
  std::vector<T> all(count);
  for (std::size_t k = 0; k < count; ++k) {
    store(type, all.data(), static_cast<index_t>(k), draw_number(random, type));
  }
  return all;
}

}  // namespace tridia_test
