// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Takes steps of u_t = div(K grad u) on a cube with a diffusivity K of its own at every point, by
// one implicit solve along each axis (locally one-dimensional: N. N. Yanenko, The Method of
// Fractional Steps, 1971). Each solve reads u and K and writes u, three words a point; the plain
// way, which writes the matrix and the right-hand sides before it solves, moves ten.
//
// No flux leaves the cube, so the sum of u stays what it is; and where K is constant, a product of
// cosines decays by a factor that is known.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include adi_diffusion.cu
//   g++ -std=c++20 -O2 -march=native -I PREFIX/include -x c++ adi_diffusion.cu -x none -ltridia
//   ./a.out [POINTS ALONG AN AXIS] [STEPS] [FILE]
#include "example.hpp"

#include <algorithm>
#include <cmath>

namespace adi {

using example::array;
using tridia::inputs, tridia::line_grid, tridia::packed, tridia::packed_field, tridia::row,
    tridia::value_at;

/// Makes rows of 1 - dt d/dx K d/dx, with u on the right.
template <int Axis>
struct implicit_rows {
  int n;
  template <class Point, class Field>
  TRIDIA_HOST_DEVICE auto operator()(const Point& p, const Field& u, const Field& k) const {
    using value = value_at<double, Point>;
    const value before = face(p, p[Axis], k), after = face(p, p[Axis] + 1, k);
    return row<value>{-before, 1 + before + after, -after, {u(p)}};
  }

 private:
  /// Returns K dt / h^2 between place `at` along the axis and the one before it: the mean of both,
  /// and 0 at the ends.
  template <class Point, class Field>
  TRIDIA_HOST_DEVICE value_at<double, Point> face(const Point& p, int at, const Field& k) const {
    if (at == 0 || at == n) return 0;
    const Point here = p.moved(Axis, at - p[Axis]);
    return 0.5 * (k(here) + k(here.moved(Axis, -1)));
  }
};
struct store {
  packed_field<double> x;
  template <class Point, class Value>
  TRIDIA_HOST_DEVICE void operator()(const Point& p, const Value& found) const {
    x(p) = found;
  }
};

/// Solves (1 - dt d/dx K d/dx) x = u along an axis; x may be u.
template <int Axis>
void implicit_step(int n, const double* k, const double* u, double* x) {
  example::solve_lines<double>(line_grid<3, Axis>{{n, n, n}}, inputs(packed(u), packed(k)),
                               implicit_rows<Axis>{n}, store{packed(x)});
}

/// Reads rows from memory.
struct rows_in_memory {
  template <class Point, class Field>
  TRIDIA_HOST_DEVICE auto operator()(const Point& p, const Field& sub, const Field& diag,
                                     const Field& sup, const Field& rhs) const {
    return row<value_at<double, Point>>{sub(p), diag(p), sup(p), {rhs(p)}};
  }
};

/// Holds the arrays of the plain way.
struct plain {
  array<double> sub, diag, sup, rhs;
  explicit plain(std::size_t points) : sub(points), diag(points), sup(points), rhs(points) {}

  template <int Axis>
  void implicit_step(int n, const double* k, const double* u, double* x) const {
    const line_grid<3, Axis> g{{n, n, n}};
    const implicit_rows<Axis> rows{n};
    const packed_field<const double> of_u{u}, of_k{k};
    double *const a = sub.data(), *const b = diag.data(), *const c = sup.data(),
                  *const r = rhs.data();
    const auto count = static_cast<std::size_t>(g.lines()) * static_cast<std::size_t>(n);
    example::for_each(count, [=] EXAMPLE_DEVICE(std::size_t i) {
      const row<double> made = rows(g.point_at(static_cast<std::int64_t>(i)), of_u, of_k);
      a[i] = made.sub, b[i] = made.diag, c[i] = made.sup, r[i] = made.rhs[0];
    });
    const auto read = [](const double* from) { return packed(from); };
    example::solve_lines<double>(g, inputs(read(a), read(b), read(c), read(r)), rows_in_memory{},
                                 store{packed(x)});
  }
};

}  // namespace adi

int main(int count, char** arguments) {
  using namespace adi;
  example::need_machine();
  const int n = example::number(count, arguments, 1, 256);
  const int steps = example::number(count, arguments, 2, 10);
  const std::size_t side = static_cast<std::size_t>(n), points = side * side * side;
  const double wave = std::acos(-1.0) / n, constant = 3;
  const auto u_at = [&](std::size_t i) {
    return std::cos(wave * (static_cast<double>(i / side / side) + 0.5)) *
               std::cos(wave * (static_cast<double>(i / side % side) + 0.5)) *
               std::cos(2 * wave * (static_cast<double>(i % side) + 0.5)) +
           2;
  };
  std::vector<double> u(points), k(points);
  for (std::size_t i = 0; i < points; ++i) {
    u[i] = u_at(i);
    k[i] = 0.1 + 10 * std::pow(std::sin(0.37 * static_cast<double>(i % 1009)), 2);
  }

  // A constant K: each axis multiplies the product of cosines by a factor.
  const array<double> of_constant(std::vector<double>(points, constant)), first(u);
  for (int step = 0; step < steps; ++step) {
    implicit_step<0>(n, of_constant.data(), first.data(), first.data());
    implicit_step<1>(n, of_constant.data(), first.data(), first.data());
    implicit_step<2>(n, of_constant.data(), first.data(), first.data());
  }
  const auto factor = [&](double waves) {
    return 1 / (1 + 4 * constant * std::pow(std::sin(waves * wave / 2), 2));
  };
  const double decay = std::pow(factor(1) * factor(1) * factor(2), steps);
  const std::vector<double> found = first.read();
  double error = 0;
  std::vector<double> x, of_u, of_found, expected;
  for (std::size_t i = 0; i < points; ++i) {
    const double exact = (u[i] - 2) * decay + 2;
    error = std::max(error, std::abs(found[i] - exact));
    if (i < side) {
      x.push_back((static_cast<double>(i) + 0.5) / n), of_u.push_back(u[i]);
      of_found.push_back(found[i]), expected.push_back(exact);
    }
  }
  example::write_columns(count, arguments, 3, {x, of_u, of_found, expected});

  // A varied one: the sum stays, and the plain way finds the same.
  const array<double> of_k(k), second(u), result(points), other(points);
  implicit_step<0>(n, of_k.data(), second.data(), second.data());
  implicit_step<1>(n, of_k.data(), second.data(), second.data());
  double before = 0, after = 0, difference = 0;
  implicit_step<2>(n, of_k.data(), second.data(), result.data());
  const plain with_rows(points);
  with_rows.implicit_step<2>(n, of_k.data(), second.data(), other.data());
  const std::vector<double> values = result.read(), others = other.read();
  for (std::size_t i = 0; i < points; ++i) {
    before += u[i], after += values[i];
    difference = std::max(difference, std::abs(values[i] - others[i]));
  }
  const double lost = std::abs(after - before) / before;

  const double *const kd = of_k.data(), *const ud = second.data();
  double* const to = result.data();
  const float copy = example::time_of([&] {
    example::for_each(points, [=] EXAMPLE_DEVICE(std::size_t i) { to[i] = kd[i] + ud[i]; });
  });
  const float fused[] = {example::time_of([&] { implicit_step<0>(n, kd, ud, to); }),
                         example::time_of([&] { implicit_step<1>(n, kd, ud, to); }),
                         example::time_of([&] { implicit_step<2>(n, kd, ud, to); })};
  const float written = example::time_of([&] { with_rows.implicit_step<2>(n, kd, ud, to); });
  std::printf("%d^3 points; the copy of three words a point takes %.3f ms\n", n,
              static_cast<double>(copy));
  for (int axis = 0; axis < 3; ++axis) {
    std::printf("axis %d: %.3f ms, %.2f copies\n", axis, static_cast<double>(fused[axis]),
                static_cast<double>(fused[axis] / copy));
  }
  std::printf("with rows in memory axis 2 takes %.3f ms, %.1f times as long\n",
              static_cast<double>(written), static_cast<double>(written / fused[2]));
  std::printf("error after %d steps: %.1e; of the sum: %.1e; from the plain way: %.1e\n", steps,
              error, lost, difference);
  return error < 1e-11 && lost < 1e-12 && difference < 1e-12 ? 0 : 1;
}
