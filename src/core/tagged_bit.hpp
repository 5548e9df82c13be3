// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/bit_cast.hpp"
#include "core/complex.hpp"

#include <cstdint>

// A tag is a bool stored in the last bit of a number, which rounds the number.
namespace tridia::core {

TRIDIA_FN float with_tag(float a, bool m) {
  return bit_cast<float>((bit_cast<std::uint32_t>(a) & ~1u) | (m ? 1u : 0u));
}
TRIDIA_FN double with_tag(double a, bool m) {
  const auto bits = bit_cast<std::uint64_t>(a);
  return bit_cast<double>((bits & ~std::uint64_t{1}) | (m ? 1u : 0u));
}
TRIDIA_FN bool tag_of(float a) { return (bit_cast<std::uint32_t>(a) & 1u) != 0; }
TRIDIA_FN bool tag_of(double a) { return (bit_cast<std::uint64_t>(a) & 1u) != 0; }

template <class R>
TRIDIA_FN complex<R> with_tag(complex<R> a, bool m) {
  return {with_tag(a.re, m), a.im};
}
template <class R>
TRIDIA_FN bool tag_of(complex<R> a) {
  return tag_of(a.re);
}

}  // namespace tridia::core
