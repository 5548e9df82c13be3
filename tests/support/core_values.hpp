// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "support/random.hpp"

// These functions convert numbers of tests to those of core, and back.
namespace tridia_test {

template <class V>
V value_of(const wide& z) {
  return V(static_cast<double>(z.real()));
}
template <>
inline tridia::core::complex<double> value_of(const wide& z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}
template <>
inline tridia::core::complex<float> value_of(const wide& z) {
  return {static_cast<float>(z.real()), static_cast<float>(z.imag())};
}
inline wide wide_of(float v) { return v; }
inline wide wide_of(double v) { return v; }
template <class V>
inline constexpr auto type_of = tridia::value_type::c128;
template <>
inline constexpr auto type_of<float> = tridia::value_type::f32;
template <>
inline constexpr auto type_of<double> = tridia::value_type::f64;
template <>
inline constexpr auto type_of<tridia::core::complex<float>> = tridia::value_type::c64;
template <class R>
wide wide_of(tridia::core::complex<R> v) {
  return {v.re, v.im};
}

}  // namespace tridia_test
