// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "tridia/types.hpp"

namespace tridia::core {

template <class T>
struct type_tag {
  using type = T;
};
template <pivoting P, boundary B>
struct variant_tag {
  static constexpr pivoting pivots = P;
  static constexpr boundary boundary_kind = B;
};

/// Calls f(type_tag<T>) with the scalar that a value type stands for.
template <class F>
auto with_type(value_type type, F f) {
  switch (type) {
    case value_type::f32:
      return f(type_tag<float>{});
    case value_type::c64:
      return f(type_tag<complex<float>>{});
    case value_type::c128:
      return f(type_tag<complex<double>>{});
    case value_type::f64:
      break;
  }
  return f(type_tag<double>{});
}

/// Calls f(type_tag<T>) for one of the two real types.
template <class F>
auto with_real_type(value_type type, F f) {
  return type == value_type::f32 ? f(type_tag<float>{}) : f(type_tag<double>{});
}

/// Calls f(variant_tag<P, B>).
template <class F>
auto with_variant(pivoting p, boundary b, F f) {
  if (p == pivoting::none) {
    return b == boundary::regular ? f(variant_tag<pivoting::none, boundary::regular>{})
                                  : f(variant_tag<pivoting::none, boundary::periodic>{});
  }
  return b == boundary::regular ? f(variant_tag<pivoting::partial, boundary::regular>{})
                                : f(variant_tag<pivoting::partial, boundary::periodic>{});
}

}  // namespace tridia::core
