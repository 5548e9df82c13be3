// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/solve_lines.hpp>

#include <cstdio>
#include <vector>

// Makes rows of an implicit step of u_t = (K u_z)_z; it serves inside a kernel as well.
struct diffusion_rows {
  int levels;

  template <class Point, class U, class K>
  TRIDIA_HOST_DEVICE auto operator()(const Point& p, const U& u, const K& k) const {
    using value = tridia::value_at<double, Point>;
    const value before = p[0] > 0 ? k(p) : value(0);
    const value after = p[0] + 1 < levels ? k(p.moved(0, 1)) : value(0);
    return tridia::row<value>{-before, 1 + before + after, -after, {u(p)}};
  }
};
struct store {
  tridia::packed_field<double> u;
  template <class Point, class Value>
  TRIDIA_HOST_DEVICE void operator()(const Point& p, const Value& x) const {
    u(p) = x;
  }
};

int main() {
  constexpr int levels = 50, rows = 20, columns = 30;
  std::vector<double> u(levels * rows * columns, 1.0), k(u.size(), 3.0);
  for (int i = 0; i < rows * columns; ++i) u[static_cast<std::size_t>(i)] = 2;
  const double *from = u.data(), *of_k = k.data();
  tridia::solve_lines<double>(tridia::line_grid<3, 0>{{levels, rows, columns}},
                              tridia::inputs(tridia::packed(from), tridia::packed(of_k)),
                              diffusion_rows{levels}, store{tridia::packed(u.data())});
  double sum = 0;  // no flux leaves a column
  for (const double v : u) sum += v;
  std::printf("%.6f\n", sum / (rows * columns));
}
