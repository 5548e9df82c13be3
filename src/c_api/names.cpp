// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/guard.hpp"
#include "tridia/compact.hpp"
#include "tridia/scheme.hpp"

namespace tridia::c_api {
namespace {

template <class E>
tridia_result parse_name(const char* text, int* value) noexcept {
  return guarded([&] {
    need(text, "name");
    need(value, "value");
    const auto found = parse<E>(text);
    if (found) {
      *value = static_cast<int>(*found);
      return;
    }
    std::string known;
    for (const std::string_view n : names<E>())
      known += (known.empty() ? "" : ", ") + std::string(n);
    refuse("name: \"" + std::string(text) + "\" is not one of " + known);
  });
}

}  // namespace
}  // namespace tridia::c_api

#define TRIDIA_NAMES_OF(enumeration)                                         \
  const char* tridia_##enumeration##_name(int value) {                       \
    return tridia::name(static_cast<tridia::enumeration>(value)).data();     \
  }                                                                          \
  tridia_result tridia_##enumeration##_parse(const char* name, int* value) { \
    return tridia::c_api::parse_name<tridia::enumeration>(name, value);      \
  }

extern "C" {
TRIDIA_NAMES_OF(value_type)
TRIDIA_NAMES_OF(boundary)
TRIDIA_NAMES_OF(pivoting)
TRIDIA_NAMES_OF(operation)
TRIDIA_NAMES_OF(coefficients)
TRIDIA_NAMES_OF(backend)
TRIDIA_NAMES_OF(algorithm)
TRIDIA_NAMES_OF(neato_memory)
TRIDIA_NAMES_OF(transformation)
TRIDIA_NAMES_OF(ragged_layout)
TRIDIA_NAMES_OF(quantity)
TRIDIA_NAMES_OF(staggering)
TRIDIA_NAMES_OF(end_condition)
}  // extern "C"
