// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/row.hpp"

#include <complex>
#include <cstdint>

namespace tridia {

/// Holds a point of a grid, or, on a CPU, points of `Lanes` lines that lie side by side, which are
/// solved together (tridia/solve_lines.hpp). Functions of a point that are templates of its type
/// serve both.
template <int Rank, int Lanes = 1>
struct point;

/// Holds a point of a grid: its place along each axis, and its place in an array whose rows follow
/// each other without gaps.
template <int Rank>
struct point<Rank, 1> {
  /// Names the type of a value of type T at the point: T itself.
  template <class T>
  using value = T;

  int at[Rank];
  std::int64_t index;
  const int* size;  // of the grid

  TRIDIA_FN int operator[](int axis) const { return at[axis]; }
  /// Returns the place along `axis` as a number of type T.
  template <class T>
  [[nodiscard]] TRIDIA_FN T place(int axis) const {
    return static_cast<T>(at[axis]);
  }
  /// Returns the point `by` places further along `axis`.
  [[nodiscard]] TRIDIA_FN point moved(int axis, int by) const {
    point p = *this;
    p.at[axis] += by;
    std::int64_t step = by;
    TRIDIA_UNROLL
    for (int a = Rank; a-- > 0;) step *= a > axis ? size[a] : 1;
    p.index += step;
    return p;
  }
};

/// Names the type of a value of type T at points of type `Point`: T itself, or on a CPU a `simd` of
/// one for each lane.
template <class T, class Point>
using value_at = typename Point::template value<T>;

/// Holds the extents of a grid of points whose lines run along `Axis`. Points that are neighbours
/// along the last axis should lie side by side in memory, as in C.
template <int Rank, int Axis>
struct line_grid {
  static_assert(Axis >= 0 && Axis < Rank);
  int size[Rank];

  [[nodiscard]] TRIDIA_FN int rows() const { return size[Axis]; }
  [[nodiscard]] TRIDIA_FN std::int64_t lines() const {
    std::int64_t count = 1;
    for (int a = 0; a < Rank; ++a) count *= a == Axis ? 1 : size[a];
    return count;
  }
  /// Returns the point at a place in an array whose rows follow each other without gaps. It refers
  /// to this grid.
  [[nodiscard]] TRIDIA_FN point<Rank> point_at(std::int64_t index) const {
    point<Rank> p{{}, index, size};
    TRIDIA_UNROLL
    for (int a = Rank; a-- > 0; index /= size[a]) p.at[a] = static_cast<int>(index % size[a]);
    return p;
  }
};

namespace detail {

/// Stands for an element of an array of std::complex<R>, which is read and written as complex<R>.
template <class R>
struct complex_reference {
  R* parts;
  TRIDIA_FN const complex_reference& operator=(const complex_reference& other) const {
    return *this = complex<R>(other);
  }
  TRIDIA_FN operator complex<R>() const { return {parts[0], parts[1]}; }
  TRIDIA_FN const complex_reference& operator=(const complex<R>& v) const {
    parts[0] = v.re, parts[1] = v.im;
    return *this;
  }
};
template <class T>
TRIDIA_FN T& element_at(T* data, std::int64_t offset) {
  return data[offset];
}
template <class R>
TRIDIA_FN complex_reference<R> element_at(std::complex<R>* data, std::int64_t offset) {
  return {reinterpret_cast<R*>(data) + 2 * offset};
}
template <class R>
TRIDIA_FN complex<R> element_at(const std::complex<R>* data, std::int64_t offset) {
  const R* const parts = reinterpret_cast<const R*>(data) + 2 * offset;
  return {parts[0], parts[1]};
}

}  // namespace detail

/// Holds an array over the points of a grid: strides count elements, may have any sign, and are 0
/// along axes on which the array does not depend. At a point of several lanes it gives the value of
/// each, and, if T is not const, takes them.
template <class T, int Rank>
struct field {
  T* data;
  std::int64_t stride[Rank];
  TRIDIA_FN decltype(auto) operator()(const point<Rank>& p) const {
    std::int64_t offset = 0;
    TRIDIA_UNROLL
    for (int a = 0; a < Rank; ++a) offset += p.at[a] * stride[a];
    return detail::element_at(data, offset);
  }
  template <int Lanes>
  TRIDIA_FN auto operator()(const point<Rank, Lanes>& p) const {
    return p.element_of(*this);
  }
};

/// Holds an array over the points of a grid whose rows along the last axis follow each other
/// without gaps: nothing has to be computed to find a point's place.
template <class T>
struct packed_field {
  T* data;
  template <int Rank>
  TRIDIA_FN decltype(auto) operator()(const point<Rank>& p) const {
    return detail::element_at(data, p.index);
  }
  template <int Rank, int Lanes>
  TRIDIA_FN auto operator()(const point<Rank, Lanes>& p) const {
    return p.element_of(*this);
  }
};
template <class T>
packed_field<T> packed(T* data) {
  return {data};
}

}  // namespace tridia
