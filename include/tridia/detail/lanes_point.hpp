// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"
#include "tridia/line_grid.hpp"
#include "tridia/math.hpp"

#include <string>

namespace tridia {

namespace detail {

/// Says how elements T of an array are read and written in W lanes.
template <class T, int W>
struct lanes_of {
  using value = simd<T, W>;
  static TRIDIA_FN value load(const T* from, std::int64_t step) { return value::load(from, step); }
  static TRIDIA_FN void store(const value& v, T* to, std::int64_t step) { v.store(to, step); }
};
template <class R, int W, class Element>
struct complex_lanes_of {
  using value = complex<simd<R, W>>;
  using real = simd<R, W>;
  static TRIDIA_FN value load(const Element* from, std::int64_t step) {
    const R* const parts = reinterpret_cast<const R*>(from);
    return {real::load(parts, 2 * step), real::load(parts + 1, 2 * step)};
  }
  static TRIDIA_FN void store(const value& v, Element* to, std::int64_t step) {
    R* const parts = reinterpret_cast<R*>(to);
    v.re.store(parts, 2 * step), v.im.store(parts + 1, 2 * step);
  }
};
template <class R, int W>
struct lanes_of<complex<R>, W> : complex_lanes_of<R, W, complex<R>> {};
template <class R, int W>
struct lanes_of<std::complex<R>, W> : complex_lanes_of<R, W, std::complex<R>> {};

/// Stands for the elements of an array at a point of several lanes.
template <class T, int W>
struct lanes_reference {
  using value = typename lanes_of<T, W>::value;
  T* data;
  std::int64_t step;  // from lane to lane, in elements

  TRIDIA_FN operator value() const { return lanes_of<T, W>::load(data, step); }
  TRIDIA_FN const lanes_reference& operator=(const value& v) const {
    lanes_of<T, W>::store(v, data, step);
    return *this;
  }
  TRIDIA_FN const lanes_reference& operator=(const lanes_reference& other) const {
    return *this = value(other);
  }
  TRIDIA_FN const lanes_reference& operator+=(const value& v) const { return *this = *this + v; }
  TRIDIA_FN const lanes_reference& operator-=(const value& v) const { return *this = *this - v; }
  TRIDIA_FN const lanes_reference& operator*=(const value& v) const { return *this = *this * v; }
};
template <class T, int W>
struct value_named<lanes_reference<T, W>> {
  using type = typename lanes_of<T, W>::value;
};

template <class T, int W>
TRIDIA_FN lanes_reference<T, W> lanes_at(T* data, std::int64_t step) {
  return {data, step};
}
template <class T, int W>
requires std::is_const_v<T> TRIDIA_FN auto lanes_at(T* data, std::int64_t step) {
  return lanes_of<std::remove_const_t<T>, W>::load(data, step);
}

[[noreturn]] inline void refuse_place(int axis) {
  throw error(errc::invalid_argument,
              "place: that along axis " + std::to_string(axis) +
                  " differs between the lines of a point; take it by place<T>(axis), or read a "
                  "field whose strides along the other axes are 0");
}

}  // namespace detail

/// Holds the points of `Lanes` lines that are neighbours along one axis, in one row of each.
template <int Rank, int Lanes>
struct point {
  /// Names the type of values T at the point: `simd` of one for each lane, or `complex` of that.
  template <class T>
  using value = typename detail::lanes_of<T, Lanes>::value;

  point<Rank> first;  // of lane 0
  int line_axis, lane_axis;
  std::int64_t lane_step;  // from lane to lane in an array whose rows follow each other

  /// Returns the place along the axis of the lines, which is the same in all lanes. Of another axis
  /// it throws `error`.
  TRIDIA_FN int operator[](int axis) const {
    if (axis != line_axis) detail::refuse_place(axis);
    return first.at[axis];
  }
  /// Returns the place along `axis` as numbers of type T, float or double.
  template <class T>
  [[nodiscard]] TRIDIA_FN simd<T, Lanes> place(int axis) const {
    const int step = axis == lane_axis ? 1 : 0;
    return simd<T, Lanes>::filled(
        [&](int lane) { return static_cast<T>(first.at[axis] + lane * step); });
  }
  /// Returns the points `by` places further along `axis`.
  [[nodiscard]] TRIDIA_FN point moved(int axis, int by) const {
    return {first.moved(axis, by), line_axis, lane_axis, lane_step};
  }

  template <class T>
  TRIDIA_FN auto element_of(const field<T, Rank>& f) const {
    std::int64_t offset = 0;
    for (int a = 0; a < Rank; ++a) offset += first.at[a] * f.stride[a];
    return detail::lanes_at<T, Lanes>(f.data + offset, f.stride[lane_axis]);
  }
  template <class T>
  TRIDIA_FN auto element_of(const packed_field<T>& f) const {
    return detail::lanes_at<T, Lanes>(f.data + first.index, lane_step);
  }
};

}  // namespace tridia
