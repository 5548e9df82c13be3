// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/random.hpp"
#include "tridia/solve.hpp"
#include "tridia/solve_lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tridia_test {

using tridia::boundary;
using tridia::pivoting;

/// Names the element of host arrays that a value type of solve_lines stands for.
template <class T>
struct element_of_value {
  using type = T;
};
template <class R>
struct element_of_value<tridia::complex<R>> {
  using type = std::complex<R>;
};
template <class T>
using element = typename element_of_value<T>::type;

template <class E>
wide widened(const E& v) {
  return wide(v);
}

/// Calls f(point of one line) for each lane of a point.
template <int Rank, class F>
void for_each_lane(const tridia::point<Rank>& p, F f) {
  f(p);
}
template <int Rank, int Lanes, class F>
void for_each_lane(const tridia::point<Rank, Lanes>& p, F f) {
  for (int lane = 0; lane < Lanes; ++lane) {
    tridia::point<Rank> q = p.first;
    q.at[p.lane_axis] += lane;
    q.index += lane * p.lane_step;
    f(q);
  }
}

/// Holds lines of a grid with three axes whose arrays have strides of their own.
template <class T, int Axis, boundary B, pivoting P, int Sides>
class lines_case {
 public:
  using E = element<T>;
  using grid = tridia::line_grid<3, Axis>;

  /// Makes random lines: dominant ones without pivoting, or else any.
  lines_case(rng& random, std::array<int, 3> size)
      : g{{size[0], size[1], size[2]}}, points(count(size)), asked(points), taken(points) {
    status.assign(static_cast<std::size_t>(g.lines()), 77);
    for (array* a : {&dl, &d, &du}) fill(random, *a, 1);
    for (array& a : rhs) fill(random, a, 1);
    for (array& a : x) {
      fill(random, a, 1);
      for (E& v : a.data) v = E(-7777);
    }
    for (std::size_t i = 0; i < points; ++i) {
      if (P == pivoting::none) at(d, i) = at(d, i) + E(at(d, i) == E(0) ? 3 : 4);
    }
  }

  grid g;
  std::size_t points;
  struct array {
    std::vector<E> data;
    std::array<std::int64_t, 3> stride;
    std::size_t origin;
  };
  array dl, d, du, rhs[Sides], x[Sides];
  std::vector<int> asked, taken, status;

  E& at(array& a, std::size_t point) const {
    std::int64_t place = static_cast<std::int64_t>(a.origin);
    for (int k = 3; k-- > 0; point /= static_cast<std::size_t>(g.size[k])) {
      place += static_cast<std::int64_t>(point % static_cast<std::size_t>(g.size[k])) * a.stride[k];
    }
    return a.data[static_cast<std::size_t>(place)];
  }

  void solve(int threads = 0) {
    tridia::solve_lines<T, B, P, Sides>(g, make{*this}, take{*this},
                                        {.threads = threads, .status = status});
  }
  /// Solves lines of one right-hand side from inputs.
  void solve_from_inputs() {
    static_assert(Sides == 1);
    const auto from_inputs = [&](const auto& p, const auto& sub, const auto& diag, const auto& sup,
                                 const auto& right) {
      count_asked(p);
      using V = tridia::value_at<T, std::remove_cvref_t<decltype(p)>>;
      return tridia::row<V>{sub(p), diag(p), sup(p), {right(p)}};
    };
    const auto in =
        tridia::inputs(make::read(dl), make::read(d), make::read(du), make::read(rhs[0]));
    tridia::solve_lines<T, B, P>(g, in, from_inputs, take{*this}, {.status = status});
  }
  /// Solves lines one by one, by functions of one point.
  void solve_one_by_one() {
    const make rows{*this};
    const take to{*this};
    tridia::solve_lines<T, B, P, Sides>(
        g, [&](const tridia::point<3>& p) { return rows(p); },
        [&](const tridia::point<3>& p, const auto& v) { to(p, v); }, {.status = status});
  }

  /// Returns what is wrong with the result, or "". Each row was made `made` times; lines are solved
  /// but those in `failing`.
  std::string check(int made, const std::vector<std::int64_t>& failing = {}) {
    for (std::size_t i = 0; i < points; ++i) {
      if (asked[i] != made) return "a row was made " + std::to_string(asked[i]) + " times";
      if (taken[i] != 1) return "x was taken " + std::to_string(taken[i]) + " times";
    }
    for (std::int64_t line = 0; line < g.lines(); ++line) {
      const bool fails = std::find(failing.begin(), failing.end(), line) != failing.end();
      if (status[static_cast<std::size_t>(line)] != (fails ? tridia::unsolved : tridia::solved)) {
        return "line " + std::to_string(line) + " has status " +
               std::to_string(status[static_cast<std::size_t>(line)]);
      }
      for (int side = 0; side < Sides; ++side) {
        const std::string wrong = fails ? check_nan(line, side) : check_residual(line, side);
        if (!wrong.empty()) return "line " + std::to_string(line) + ": " + wrong;
      }
    }
    return "";
  }
  /// Returns the point of row k of a line.
  [[nodiscard]] std::size_t point_of(std::int64_t line, int k) const {
    std::int64_t inner = 1;
    for (int a = Axis + 1; a < 3; ++a) inner *= g.size[a];
    const std::int64_t outer = line / inner;
    return static_cast<std::size_t>((outer * g.rows() + k) * inner + line - outer * inner);
  }

 private:
  template <class Point>
  void count_asked(const Point& p) {
    for_each_lane(p,
                  [&](const tridia::point<3>& q) { ++asked[static_cast<std::size_t>(q.index)]; });
  }
  struct make {
    lines_case& c;
    template <class Point>
    auto operator()(const Point& p) const {
      c.count_asked(p);
      using V = tridia::value_at<T, Point>;
      tridia::row<V, Sides> r{read(c.dl)(p), read(c.d)(p), read(c.du)(p)};
      for (int j = 0; j < Sides; ++j) r.rhs[j] = read(c.rhs[j])(p);
      return r;
    }
    static tridia::field<const E, 3> read(const array& a) {
      return {a.data.data() + a.origin, {a.stride[0], a.stride[1], a.stride[2]}};
    }
  };
  struct take {
    lines_case& c;
    template <class Point>
    void put(const Point& p, int side, const tridia::value_at<T, Point>& v) const {
      const array& a = c.x[side];
      const tridia::field<E, 3> f{const_cast<E*>(a.data.data()) + a.origin,
                                  {a.stride[0], a.stride[1], a.stride[2]}};
      f(p) = v;
    }
    template <class Point, class V>
    void operator()(const Point& p, const V& v) const {
      for_each_lane(
          p, [&](const tridia::point<3>& q) { ++c.taken[static_cast<std::size_t>(q.index)]; });
      if constexpr (Sides == 1) {
        put(p, 0, v);
      } else {
        for (int j = 0; j < Sides; ++j) put(p, j, v[j]);
      }
    }
  };

  static std::size_t count(const std::array<int, 3>& size) {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
  /// Makes an array with gaps, its axes in any order and of any sign.
  void fill(rng& random, array& a, int size) const {
    std::array<int, 3> order{0, 1, 2};
    if (flip(random)) std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = draw(random, 1, 2), origin = 0;
    for (int k = 3; k-- > 0;) {
      const int axis = order[static_cast<std::size_t>(k)], extent = g.size[axis];
      const bool backwards = draw(random, 0, 3) == 0;
      a.stride[static_cast<std::size_t>(axis)] = backwards ? -step : step;
      if (backwards && extent > 0) origin += step * (extent - 1);
      step *= extent + draw(random, 0, 1);
    }
    a.origin = static_cast<std::size_t>(origin);
    a.data.resize(static_cast<std::size_t>(step) + 3);
    std::uniform_real_distribution<double> number(-size, size);
    for (E& v : a.data) {
      if constexpr (std::is_floating_point_v<E>) {
        v = static_cast<E>(number(random));
      } else {
        using R = typename E::value_type;
        v = E(static_cast<R>(number(random)), static_cast<R>(number(random)));
      }
    }
  }

  std::string check_nan(std::int64_t line, int side) {
    for (int k = 0; k < g.rows(); ++k) {
      const wide v = widened(at(x[side], point_of(line, k)));
      if (v == v) return "x of a line without a solution is not NaN";
    }
    return "";
  }
  /// Looks at the residual of every row, beside the size of all terms of the line.
  std::string check_residual(std::int64_t line, int side) {
    const int n = g.rows();
    long double worst = 0, matrix = 0, solution = 0, right = 0;
    for (int k = 0; k < n; ++k) {
      const std::size_t here = point_of(line, k);
      wide sum = widened(at(d, here)) * widened(at(x[side], here)) - widened(at(rhs[side], here));
      long double size = std::abs(widened(at(d, here)));
      const auto add = [&](array& a, int column) {
        sum += widened(at(a, here)) * widened(at(x[side], point_of(line, column)));
        size += std::abs(widened(at(a, here)));
      };
      if (k > 0 || B == boundary::periodic) add(dl, (k + n - 1) % n);
      if (k < n - 1 || B == boundary::periodic) add(du, (k + 1) % n);
      if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
      matrix = std::max(matrix, size);
      solution = std::max(solution, std::abs(widened(at(x[side], here))));
      right = std::max(right, std::abs(widened(at(rhs[side], here))));
    }
    using R = decltype(std::abs(E()));
    const long double bound = 40 * static_cast<long double>(std::numeric_limits<R>::epsilon()) *
                              (matrix * solution + right);
    return worst <= bound ? ""
                          : "a residual of " + std::to_string(static_cast<double>(worst / bound)) +
                                " times what it may be";
  }
};

}  // namespace tridia_test
