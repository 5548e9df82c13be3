// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Adds d(u v)/dx to a result, as the nonlinear terms of turbulence do, by the compact scheme of
// sixth order (S. K. Lele, J. Comput. Phys. 103, 1992): the product is formed on chip, and its
// derivative is added where it is found. That is four words a point, where a product in memory, its
// derivative in memory and a sum take eight. A GPU has factors of the matrix, a CPU eliminates it
// again for each line.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include product_derivative.cu
//   g++ -std=c++20 -O2 -march=native -I PREFIX/include -x c++ product_derivative.cu -x none
//   -ltridia
//   ./a.out [LINES] [FILE]
#include "example.hpp"

#include <algorithm>
#include <cmath>

namespace product {

using example::array;

constexpr int points = 512;

/// Returns row k of the scheme: third order at the ends, fourth beside them.
tridia::row<double> scheme_row(int k) {
  const bool end = k == 0 || k == points - 1, beside = k == 1 || k == points - 2;
  const double off = end ? 2 : beside ? 0.25 : 1.0 / 3;
  return {k == 0 ? 0 : off, 1, k == points - 1 ? 0 : off, {0}};
}

/// Returns h times the right-hand side of row k, for a line f of numbers, or of one for each of
/// several lines.
template <class Value>
TRIDIA_HOST_DEVICE Value stencil(const Value* f, int k) {
  const int last = points - 1;
  if (k == 0) return -2.5 * f[0] + 2 * f[1] + 0.5 * f[2];
  if (k == last) return 2.5 * f[last] - 2 * f[last - 1] - 0.5 * f[last - 2];
  if (k == 1 || k == last - 1) return 0.75 * (f[k + 1] - f[k - 1]);
  return 7.0 / 9 * (f[k + 1] - f[k - 1]) + 1.0 / 36 * (f[k + 2] - f[k - 2]);
}

#if defined(__CUDACC__)
constexpr int lines_a_block = 2;
using solver = tridia::device::recurrence_solver<double, 8, 64, lines_a_block,
                                                 tridia::device::neighbours::rows>;
using factor = tridia::device::factor<double>;
static_assert(points <= solver::max_rows);

__global__ void __launch_bounds__(solver::threads)
    add_in_blocks(const double* u, const double* v, double* sum, int lines, double per_spacing,
                  const factor* factors) {
  __shared__ typename solver::storage memory;
  __shared__ double product[lines_a_block][points];
  const int line = static_cast<int>(blockIdx.x) * lines_a_block + solver::line();
  const bool used = line < lines;
  const std::size_t first = static_cast<std::size_t>(line) * points;
  double* const f = product[solver::line()];
  constexpr int threads_a_line = solver::threads / lines_a_block;
  for (int k = static_cast<int>(threadIdx.x) % threads_a_line; k < points; k += threads_a_line) {
    f[k] = used ? u[first + k] * v[first + k] : 0;
  }
  __syncthreads();
  solver(memory).solve(
      points, [&](int k) { return factors[k]; }, [&](int k) { return per_spacing * stencil(f, k); },
      [&](int k, double derivative) {
        if (used) sum[first + k] += derivative;
      });
}

/// Adds derivatives with the factors of the scheme.
class add_derivative {
 public:
  add_derivative() : factors_(factored()) {}
  void operator()(const double* u, const double* v, double* sum, int lines,
                  double per_spacing) const {
    const int blocks = (lines + lines_a_block - 1) / lines_a_block;
    add_in_blocks<<<blocks, solver::threads>>>(u, v, sum, lines, per_spacing, factors_.data());
  }

 private:
  static std::vector<factor> factored() {
    std::vector<factor> factors;
    factor before{0, 0, 0};
    for (int k = 0; k < points; ++k) {
      factors.push_back(before = tridia::device::next_factor(before, scheme_row(k)));
    }
    return factors;
  }
  array<factor> factors_;
};
#else
/// Adds derivatives of as many lines as a vector has lanes at a time, and of those left one by one.
struct add_derivative {
  void operator()(const double* u, const double* v, double* sum, int lines,
                  double per_spacing) const {
    constexpr int together = example::lanes::size();
    example::for_each((lines + together - 1) / together, [=](std::size_t group) {
      const std::size_t line = group * together;
      if (line + together <= static_cast<std::size_t>(lines)) {
        add<example::lanes>(u + line * points, v + line * points, sum + line * points, per_spacing);
        return;
      }
      for (std::size_t l = line; l < static_cast<std::size_t>(lines); ++l) {
        add<double>(u + l * points, v + l * points, sum + l * points, per_spacing);
      }
    });
  }

 private:
  static void load(const double* from, double& value) { value = *from; }
  static void load(const double* from, example::lanes& value) {
    value = example::lanes::load(from, points);
  }
  static void store(double value, double* to) { *to = value; }
  static void store(const example::lanes& value, double* to) { value.store(to, points); }

  template <class Value>
  static void add(const double* u, const double* v, double* sum, double per_spacing) {
    std::vector<Value> f(points);
    for (int k = 0; k < points; ++k) {
      Value of_v;
      load(u + k, f[k]), load(v + k, of_v);
      f[k] = f[k] * of_v;
    }
    tridia::line_solver<Value>(points).solve(
        points,
        [&](int k) {
          const tridia::row<double> r = scheme_row(k);
          return tridia::row<Value>{r.sub, r.diag, r.sup, {per_spacing * stencil(f.data(), k)}};
        },
        [&](int k, const Value& derivative) {
          Value now;
          load(sum + k, now);
          store(now + derivative, sum + k);
        });
  }
};
#endif

}  // namespace product

int main(int count, char** arguments) {
  using namespace product;
  example::need_machine();
  const int lines = example::number(count, arguments, 1, 1 << 17);
  const std::size_t all = static_cast<std::size_t>(lines) * points;
  const add_derivative add;

  // u v = (sin(2 x + p) + 2) cos(3 x), with a phase p of its own on every line.
  const double spacing = 2.0 / (points - 1);
  const auto x_of = [&](std::size_t i) { return spacing * static_cast<double>(i % points); };
  const auto phase_of = [&](std::size_t i) { return static_cast<double>(i / points % 7); };
  std::vector<double> u(all), v(all);
  for (std::size_t i = 0; i < all; ++i) {
    u[i] = std::sin(2 * x_of(i) + phase_of(i)) + 2, v[i] = std::cos(3 * x_of(i));
  }
  const array<double> of_u(u), of_v(v), sum(std::vector<double>(all, 1.0));
  int calls = 0;
  const float ms = example::time_of([&] {
    add(of_u.data(), of_v.data(), sum.data(), lines, 1 / spacing);
    ++calls;
  });
  const std::vector<double> found = sum.read();
  double error = 0;
  std::vector<double> x, of_found, expected;
  for (std::size_t i = 0; i < all; ++i) {
    const double a = 2 * x_of(i) + phase_of(i), b = 3 * x_of(i);
    const double exact = 2 * std::cos(a) * std::cos(b) - 3 * (std::sin(a) + 2) * std::sin(b);
    error = std::max(error, std::abs((found[i] - 1) / calls - exact));
    if (i < points) {
      x.push_back(x_of(i)), of_found.push_back((found[i] - 1) / calls), expected.push_back(exact);
    }
  }
  example::write_columns(count, arguments, 2, {x, of_found, expected});
  const double *const ud = of_u.data(), *const vd = of_v.data();
  double* const to = sum.data();
  const float copy = example::time_of([&] {
    example::for_each(all, [=] EXAMPLE_DEVICE(std::size_t i) { to[i] += ud[i] * vd[i]; });
  });
  std::printf("%d lines of %d points: %.3f ms, %.2f times the copy of its four words\n", lines,
              points, static_cast<double>(ms), static_cast<double>(ms / copy));
  std::printf("a product and a derivative in memory would move twice as much\n");
  std::printf("largest error, third order at the ends: %.1e\n", error);
  return error < 1e-5 ? 0 : 1;
}
