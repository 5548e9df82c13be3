// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Adds d(u v)/dx to a result, as the nonlinear terms of turbulence do, by the compact scheme of
// sixth order (S. K. Lele, J. Comput. Phys. 103, 1992): the product is formed on chip, and its
// derivative is added where it is found. That is four words a point, where a product in memory, its
// derivative in memory and a sum take eight.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include product_derivative.cu
//   ./a.out [LINES] [FILE]
#include "example.hpp"
#include "tridia/device/recurrence_solver.cuh"

#include <algorithm>
#include <cmath>

namespace {

namespace td = tridia::device;
using example::array;

constexpr int points = 512, lines_a_block = 2;
using solver = td::recurrence_solver<double, 8, 64, lines_a_block, td::neighbours::rows>;
static_assert(points <= solver::max_rows);

/// Returns row k of the scheme: third order at the ends, fourth beside them.
td::row<double> scheme_row(int k) {
  const bool end = k == 0 || k == points - 1, beside = k == 1 || k == points - 2;
  const double off = end ? 2 : beside ? 0.25 : 1.0 / 3;
  return {k == 0 ? 0 : off, 1, k == points - 1 ? 0 : off, {0}};
}

/// Returns h times the right-hand side of row k, for a line f in shared memory.
__device__ double stencil(const double* f, int k) {
  const int last = points - 1;
  if (k == 0) return -2.5 * f[0] + 2 * f[1] + 0.5 * f[2];
  if (k == last) return 2.5 * f[last] - 2 * f[last - 1] - 0.5 * f[last - 2];
  if (k == 1 || k == last - 1) return 0.75 * (f[k + 1] - f[k - 1]);
  return 7.0 / 9 * (f[k + 1] - f[k - 1]) + 1.0 / 36 * (f[k + 2] - f[k - 2]);
}

__global__ void __launch_bounds__(solver::threads)
    add_derivative(const double* u, const double* v, double* sum, int lines, double per_spacing,
                   const td::factor<double>* factors) {
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

}  // namespace

int main(int count, char** arguments) {
  example::need_gpu();
  const int lines = example::number(count, arguments, 1, 1 << 17);
  const std::size_t all = static_cast<std::size_t>(lines) * points;
  std::vector<td::factor<double>> factors;
  td::factor<double> before{0, 0, 0};
  for (int k = 0; k < points; ++k)
    factors.push_back(before = td::next_factor(before, scheme_row(k)));

  // u v = (sin(2 x + p) + 2) cos(3 x), with a phase p of its own on every line.
  const double spacing = 2.0 / (points - 1);
  const auto x_of = [&](std::size_t i) { return spacing * static_cast<double>(i % points); };
  const auto phase_of = [&](std::size_t i) { return static_cast<double>(i / points % 7); };
  std::vector<double> u(all), v(all);
  for (std::size_t i = 0; i < all; ++i) {
    u[i] = std::sin(2 * x_of(i) + phase_of(i)) + 2, v[i] = std::cos(3 * x_of(i));
  }
  const array<td::factor<double>> of_matrix(factors);
  const array<double> of_u(u), of_v(v), sum(std::vector<double>(all, 1.0));
  const int blocks = (lines + lines_a_block - 1) / lines_a_block;
  int calls = 0;
  const float ms = example::time_of([&] {
    add_derivative<<<blocks, solver::threads>>>(of_u.data(), of_v.data(), sum.data(), lines,
                                                1 / spacing, of_matrix.data());
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
  const float copy = example::time_of(
      [&] { example::for_each(all, [=] __device__(std::size_t i) { to[i] += ud[i] * vd[i]; }); });
  std::printf("%d lines of %d points: %.3f ms, %.2f times the copy of its four words\n", lines,
              points, static_cast<double>(ms), static_cast<double>(ms / copy));
  std::printf("a product and a derivative in memory would move twice as much\n");
  std::printf("largest error, third order at the ends: %.1e\n", error);
  return error < 1e-5 ? 0 : 1;
}
