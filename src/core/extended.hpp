// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

namespace tridia::core {

/// Holds a number of the host's widest floating-point type, for values that are computed once and
/// then rounded. It is a separate type, so that templates find its functions wherever they are
/// instantiated.
struct extended {
  long double v;
  extended() = default;
  explicit extended(int a) : v(a) {}
  explicit extended(double a) : v(a) {}
  explicit extended(long double a) : v(a) {}
};

inline extended operator+(extended a, extended b) { return extended(a.v + b.v); }
inline extended operator-(extended a) { return extended(-a.v); }
inline extended operator*(extended a, extended b) { return extended(a.v * b.v); }
inline bool operator>(extended a, extended b) { return a.v > b.v; }

inline extended select(bool m, extended a, extended b) { return m ? a : b; }
inline extended add_mul(extended a, extended b, extended c) { return extended(a.v + b.v * c.v); }
inline extended sub_mul(extended a, extended b, extended c) { return extended(a.v - b.v * c.v); }
inline extended reciprocal(extended a) { return extended(1 / a.v); }
inline extended magnitude(extended a) { return extended(std::fabs(a.v)); }
inline extended without_subnormals(extended a) { return a; }
inline bool is_zero(extended a) { return a.v == 0; }
inline bool is_finite(extended a) { return a.v - a.v == 0; }
inline extended conjugate(extended a) { return a; }
inline bool to_mask(extended a) { return a.v != 0; }

}  // namespace tridia::core
