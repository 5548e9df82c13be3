// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/registry.hpp"
#include "tridia/compact.hpp"
#include "tridia/scheme.hpp"
#include "tridia/types.hpp"

#include <algorithm>
#include <array>

namespace tridia {
namespace {

/// Holds the names of an enumeration, in the order of its enumerators.
template <class E>
constexpr auto table = nullptr;
template <>
constexpr auto table<value_type> = std::to_array<std::string_view>({"f32", "f64", "c64", "c128"});
template <>
constexpr auto table<boundary> = std::to_array<std::string_view>({"regular", "periodic"});
template <>
constexpr auto table<pivoting> = std::to_array<std::string_view>({"partial", "none"});
template <>
constexpr auto table<operation> = std::to_array<std::string_view>({"none", "transpose",
                                                                   "conjugate_transpose"});
template <>
constexpr auto table<coefficients> = std::to_array<std::string_view>({"per_system", "shared",
                                                                      "constant"});
template <>
constexpr auto table<ragged_layout> = std::to_array<std::string_view>({"concatenated", "padded",
                                                                       "packed"});
template <>
constexpr auto table<backend> = std::to_array<std::string_view>({"cpu", "cuda", "reference"});
template <>
constexpr auto table<transformation> = std::to_array<std::string_view>({"none", "full", "blocks",
                                                                        "packed"});
template <>
constexpr auto table<neato_memory> = std::to_array<std::string_view>({"automatic", "shared",
                                                                      "global"});
template <>
constexpr auto table<quantity> =
    std::to_array<std::string_view>({"first_derivative", "second_derivative", "third_derivative",
                                     "fourth_derivative", "interpolation", "filter"});
template <>
constexpr auto table<staggering> = std::to_array<std::string_view>({"none", "to_midpoints",
                                                                    "to_points"});
template <>
constexpr auto table<end_condition> = std::to_array<std::string_view>(
    {"closure", "symmetric", "antisymmetric", "symmetric_half", "antisymmetric_half"});

template <class E>
std::span<const std::string_view> all_names() {
  return table<E>;
}
template <>
std::span<const std::string_view> all_names<algorithm>() {
  return solver::algorithm_names();
}

template <class E>
std::string_view pick(E value) {
  const auto k = static_cast<std::size_t>(value);
  return k < all_names<E>().size() ? all_names<E>()[k] : "invalid";
}

}  // namespace

std::string_view name(value_type v) noexcept { return pick(v); }
std::string_view name(boundary v) noexcept { return pick(v); }
std::string_view name(pivoting v) noexcept { return pick(v); }
std::string_view name(operation v) noexcept { return pick(v); }
std::string_view name(coefficients v) noexcept { return pick(v); }
std::string_view name(ragged_layout v) noexcept { return pick(v); }
std::string_view name(backend v) noexcept { return pick(v); }
std::string_view name(algorithm v) noexcept { return pick(v); }
std::string_view name(transformation v) noexcept { return pick(v); }
std::string_view name(quantity v) noexcept { return pick(v); }
std::string_view name(staggering v) noexcept { return pick(v); }
std::string_view name(end_condition v) noexcept { return pick(v); }
std::string_view name(neato_memory v) noexcept { return pick(v); }

template <class E>
std::span<const std::string_view> names() noexcept {
  return all_names<E>();
}

template <class E>
std::optional<E> parse(std::string_view name) noexcept {
  const std::span<const std::string_view> all = all_names<E>();
  const auto at = std::find(all.begin(), all.end(), name);
  if (at == all.end()) return std::nullopt;
  return static_cast<E>(at - all.begin());
}

template std::span<const std::string_view> names<value_type>() noexcept;
template std::span<const std::string_view> names<boundary>() noexcept;
template std::span<const std::string_view> names<pivoting>() noexcept;
template std::span<const std::string_view> names<operation>() noexcept;
template std::span<const std::string_view> names<coefficients>() noexcept;
template std::span<const std::string_view> names<ragged_layout>() noexcept;
template std::span<const std::string_view> names<backend>() noexcept;
template std::span<const std::string_view> names<algorithm>() noexcept;
template std::span<const std::string_view> names<transformation>() noexcept;
template std::span<const std::string_view> names<quantity>() noexcept;
template std::span<const std::string_view> names<staggering>() noexcept;
template std::span<const std::string_view> names<end_condition>() noexcept;
template std::span<const std::string_view> names<neato_memory>() noexcept;

template std::optional<value_type> parse(std::string_view) noexcept;
template std::optional<boundary> parse(std::string_view) noexcept;
template std::optional<pivoting> parse(std::string_view) noexcept;
template std::optional<operation> parse(std::string_view) noexcept;
template std::optional<coefficients> parse(std::string_view) noexcept;
template std::optional<ragged_layout> parse(std::string_view) noexcept;
template std::optional<backend> parse(std::string_view) noexcept;
template std::optional<algorithm> parse(std::string_view) noexcept;
template std::optional<transformation> parse(std::string_view) noexcept;
template std::optional<quantity> parse(std::string_view) noexcept;
template std::optional<staggering> parse(std::string_view) noexcept;
template std::optional<end_condition> parse(std::string_view) noexcept;
template std::optional<neato_memory> parse(std::string_view) noexcept;

}  // namespace tridia
