// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/row.hpp"

#include <utility>

namespace tridia {

/// Holds the arrays that rows are made from, for `solve_lines`: `field`s, or other functions of a
/// point.
template <class... Fields>
struct line_inputs;
template <>
struct line_inputs<> {
  /// Calls f with all fields.
  template <class F, class... Before>
  TRIDIA_FN auto call(const F& f, const Before&... before) const -> decltype(f(before...)) {
    return f(before...);
  }
};
template <class First, class... Rest>
struct line_inputs<First, Rest...> {
  First first;
  line_inputs<Rest...> rest;

  template <class F, class... Before>
  TRIDIA_FN auto call(const F& f, const Before&... before) const
      -> decltype(std::declval<const line_inputs<Rest...>&>().call(f, before...,
                                                                   std::declval<const First&>())) {
    return rest.call(f, before..., first);
  }
};

/// Names the arrays that rows are made from: `solve_lines` hands them on behind the point, in this
/// order, as functions of a point, which give elements at a row's point and at the points before
/// and behind it on its line (of a periodic line, at the other end: row n - 1 is before row 0).
/// Their types differ from one shape of kernel to another, so that what makes rows is a template of
/// them. On a GPU lines that are not reduced in parts have them in shared memory, where arrays come
/// all at once. An input may also be a function object of a point, but no extended lambda: its
/// result is asked for on the host.
inline line_inputs<> inputs() { return {}; }
template <class First, class... Rest>
line_inputs<First, Rest...> inputs(const First& first, const Rest&... rest) {
  return {first, inputs(rest...)};
}

namespace detail {

/// Makes rows from inputs as they lie in memory.
template <class MakeRow, class Inputs>
struct rows_of_inputs;
template <class MakeRow, class... Fields>
struct rows_of_inputs<MakeRow, line_inputs<Fields...>> {
  MakeRow make_row;
  line_inputs<Fields...> in;

  template <class Point>
  TRIDIA_FN auto operator()(const Point& p) const
      -> decltype(std::declval<const MakeRow&>()(p, std::declval<const Fields&>()...)) {
    return in.call(make_row, p);
  }
};

}  // namespace detail
}  // namespace tridia
