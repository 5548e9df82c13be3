// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/scalar.hpp"

#include <cstring>
#include <limits>

namespace tridia_test {
namespace {

template <class T>
T element(const void* array, index_t at) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array) + at * index_t{sizeof(T)}, sizeof(T));
  return value;
}

template <class T>
void set_element(void* array, index_t at, T value) {
  std::memcpy(static_cast<char*>(array) + at * index_t{sizeof(T)}, &value, sizeof(T));
}

}  // namespace

double epsilon(tridia::value_type type) {
  return is_double(type) ? std::numeric_limits<double>::epsilon()
                         : std::numeric_limits<float>::epsilon();
}

wide load(tridia::value_type type, const void* array, index_t at) {
  using tridia::value_type;
  const index_t parts = is_complex(type) ? 2 : 1;
  const auto part = [&](index_t p) -> long double {
    if (is_double(type)) return element<double>(array, parts * at + p);
    return element<float>(array, parts * at + p);
  };
  return {part(0), parts == 2 ? part(1) : 0.0L};
}

void store(tridia::value_type type, void* array, index_t at, wide value) {
  const index_t parts = is_complex(type) ? 2 : 1;
  const auto set_part = [&](index_t p, long double v) {
    if (is_double(type)) return set_element(array, parts * at + p, static_cast<double>(v));
    set_element(array, parts * at + p, static_cast<float>(v));
  };
  set_part(0, value.real());
  if (parts == 2) set_part(1, value.imag());
}

}  // namespace tridia_test
