// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/value.hpp"

namespace tridia::core {

/// Holds a complex number over R, a scalar or a vector. std::complex has neither device functions
/// nor vectors; over float and double this type has its layout.
template <class R>
struct complex {
  R re, im;
  complex() = default;
  TRIDIA_FN complex(R r, R i) : re(r), im(i) {}
  /// Converts an integer.
  TRIDIA_FN explicit complex(int a) : re(R(a)), im(R(0)) {}
};

template <class R>
struct value_traits<complex<R>> {
  using mask = mask_t<R>;
  using real = R;
};

template <class R>
TRIDIA_FN complex<R> operator+(complex<R> a, complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
TRIDIA_FN complex<R> operator*(complex<R> a, complex<R> b) {
  return {sub_mul(a.re * b.re, a.im, b.im), add_mul(a.re * b.im, a.im, b.re)};
}
template <class R>
TRIDIA_FN complex<R> operator-(complex<R> a) {
  return {-a.re, -a.im};
}
template <class R>
TRIDIA_FN complex<R> add_mul(complex<R> a, complex<R> b, complex<R> c) {
  return sub_mul(a, -b, c);
}
template <class R>
TRIDIA_FN complex<R> sub_mul(complex<R> a, complex<R> b, complex<R> c) {
  return {add_mul(sub_mul(a.re, b.re, c.re), b.im, c.im),
          sub_mul(sub_mul(a.im, b.re, c.im), b.im, c.re)};
}
template <class R>
TRIDIA_FN complex<R> select(mask_t<R> m, complex<R> a, complex<R> b) {
  return {select(m, a.re, b.re), select(m, a.im, b.im)};
}
template <class R>
TRIDIA_FN R magnitude(complex<R> a) {
  return magnitude(a.re) + magnitude(a.im);
}
template <class R>
TRIDIA_FN mask_t<R> is_zero(complex<R> a) {
  return is_zero(magnitude(a));
}
template <class R>
TRIDIA_FN mask_t<R> is_finite(complex<R> a) {
  return is_finite(a.re) && is_finite(a.im);
}
template <class R>
TRIDIA_FN complex<R> conjugate(complex<R> a) {
  return {a.re, -a.im};
}
/// Returns 1 / a; `invert` returns this for real numbers. a is scaled by its larger part, so that
/// |a|^2 neither overflows nor underflows (R. L. Smith, 1962).
template <class R, class Invert>
TRIDIA_FN complex<R> reciprocal_by(complex<R> a, Invert invert) {
  const R re = magnitude(a.re), im = magnitude(a.im);
  const R scale = invert(select(re > im, re, im));
  const R u = a.re * scale, v = a.im * scale;
  const R norm = invert(add_mul(a.re * u, a.im, v));
  return {u * norm, -(v * norm)};
}
template <class R>
TRIDIA_FN complex<R> reciprocal(complex<R> a) {
  return reciprocal_by(a, [](R r) { return reciprocal(r); });
}
template <class R>
TRIDIA_FN mask_t<R> to_mask(complex<R> a) {
  return to_mask(a.re);
}

}  // namespace tridia::core
