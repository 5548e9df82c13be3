// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/types.hpp"

#include <iterator>

namespace tridia {
namespace {

template <std::size_t N, class E>
std::string_view pick(const std::string_view (&names)[N], E value) {
  const auto k = static_cast<std::size_t>(value);
  return k < N ? names[k] : "invalid";
}

}  // namespace

std::string_view name(value_type v) noexcept {
  static constexpr std::string_view names[] = {"f32", "f64", "c64", "c128"};
  return pick(names, v);
}
std::string_view name(boundary v) noexcept {
  static constexpr std::string_view names[] = {"regular", "periodic"};
  return pick(names, v);
}
std::string_view name(pivoting v) noexcept {
  static constexpr std::string_view names[] = {"partial", "none"};
  return pick(names, v);
}
std::string_view name(operation v) noexcept {
  static constexpr std::string_view names[] = {"none", "transpose", "conjugate_transpose"};
  return pick(names, v);
}
std::string_view name(coefficients v) noexcept {
  static constexpr std::string_view names[] = {"per_system", "shared"};
  return pick(names, v);
}
std::string_view name(backend v) noexcept {
  static constexpr std::string_view names[] = {"cpu", "cuda", "reference"};
  return pick(names, v);
}
std::string_view name(algorithm v) noexcept {
  static constexpr std::string_view names[] = {"automatic", "thomas", "lu"};
  return pick(names, v);
}

}  // namespace tridia
