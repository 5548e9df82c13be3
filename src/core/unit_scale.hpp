// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/bit_cast.hpp"
#include "core/complex.hpp"
#include "core/value.hpp"

#include <cstdint>

// These functions find powers of two that bring numbers of any size near 1. They use exponents
// alone: a GPU compares integers faster than doubles, and multiplying by powers of two is exact.
namespace tridia::core {

/// Returns the exponent of a floating-point number, in its place among the (upper) 32 bits.
TRIDIA_FN std::int32_t exponent_of(float a) { return bit_cast<std::int32_t>(a) & 0x7f800000; }
TRIDIA_FN std::int32_t exponent_of(double a) {
#if defined(__CUDA_ARCH__)
  return __double2hiint(a) & 0x7ff00000;
#else
  return static_cast<std::int32_t>(bit_cast<std::int64_t>(a) >> 32) & 0x7ff00000;
#endif
}
TRIDIA_FN std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
template <class R>
TRIDIA_FN auto exponent_of(const complex<R>& a) {
  return larger(exponent_of(a.re), exponent_of(a.im));
}

/// Returns the power of two that brings a number with this exponent into [1, 2). The largest binade
/// only comes near that, so that the power is a normal number; subnormal numbers stay below 2, and
/// those that are not finite stay so.
TRIDIA_FN float unit_scale(std::int32_t exponent, float) {
  return bit_cast<float>(larger(0x7f000000 - exponent, 0x00800000));
}
TRIDIA_FN double unit_scale(std::int32_t exponent, double) {
  const std::int32_t high = larger(0x7fe00000 - exponent, 0x00100000);
#if defined(__CUDA_ARCH__)
  return __hiloint2double(high, 0);
#else
  return bit_cast<double>(static_cast<std::int64_t>(high) << 32);
#endif
}

/// Returns a times a real number.
TRIDIA_FN float scaled(float a, float by) { return a * by; }
TRIDIA_FN double scaled(double a, double by) { return a * by; }
template <class R>
TRIDIA_FN complex<R> scaled(const complex<R>& a, const R& by) {
  return {a.re * by, a.im * by};
}

}  // namespace tridia::core
