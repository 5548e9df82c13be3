// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Prices many European puts by the Crank-Nicolson scheme for the Black-Scholes equation
//
//   v_t + 1/2 sigma^2 S^2 v_SS + r S v_S - r v = 0,   v(S, T) = max(1 - S, 0),
//
// on 513 prices S from 0 to 4 strikes. A block holds an option for all of its time steps: a row of
// the matrix is a few operations of k, sigma and r, so no coefficient ever lies in memory, and
// neither does any v but the last. The result is compared with the closed formula.
//
//   nvcc -std=c++20 -arch=native -I PREFIX/include black_scholes.cu -o black_scholes
//   ./black_scholes [OPTIONS] [STEPS]
#include "tridia/device/block_solver.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct option {
  double sigma, rate, years;
};

constexpr int intervals = 512, rows = intervals - 1;
constexpr double largest_price = 4;
using solver = tridia::device::block_solver<double, 9, 64>;
static_assert(rows <= solver::max_rows);

/// Computes v(S, 0) of one option in each block.
__global__ void __launch_bounds__(solver::threads)
    price(const option* options, int steps, double* values) {
  __shared__ typename solver::storage memory;
  __shared__ double v[intervals + 1];
  const option o = options[blockIdx.x];
  const double dt = o.years / steps, variance = o.sigma * o.sigma;
  for (int k = threadIdx.x; k <= intervals; k += solver::threads) {
    v[k] = fmax(1 - k * (largest_price / intervals), 0.0);
  }
  solver s(memory);
  for (int step = 1; step <= steps; ++step) {
    __syncthreads();
    const double at_zero = exp(-o.rate * dt * step);
    // Row k is of price k + 1; prices 0 and `intervals` are known. All rows are made before any x
    // is there, so that x may take the place of v.
    s.solve(
        rows,
        [&](int k) {
          const double j = k + 1;
          const double below = 0.25 * dt * (variance * j * j - o.rate * j);
          const double here = -0.5 * dt * (variance * j * j + o.rate);
          const double above = 0.25 * dt * (variance * j * j + o.rate * j);
          double rhs = below * v[k] + (1 + here) * v[k + 1] + above * v[k + 2];
          if (k == 0) rhs += below * at_zero;
          return tridia::device::row<double>{-below, 1 - here, -above, rhs};
        },
        [&](int k, double x) { v[k + 1] = x; });
    if (threadIdx.x == 0) v[0] = at_zero;
  }
  __syncthreads();
  for (int k = threadIdx.x; k <= intervals; k += solver::threads) {
    values[blockIdx.x * (intervals + 1) + k] = v[k];
  }
}

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Returns the price of a put of strike 1, by the formula of Black and Scholes (1973).
double exact(const option& o, double spot) {
  const double spread = o.sigma * std::sqrt(o.years);
  const double d1 = (std::log(spot) + (o.rate + 0.5 * o.sigma * o.sigma) * o.years) / spread;
  return std::exp(-o.rate * o.years) * normal(spread - d1) - spot * normal(-d1);
}

/// Ends the program where a call of CUDA has failed.
void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no GPU\n");
    return 77;
  }
  const int options = count > 1 ? std::atoi(arguments[1]) : 20000;
  const int steps = count > 2 ? std::atoi(arguments[2]) : 200;
  if (options < 1 || steps < 1) {
    std::fprintf(stderr, "usage: black_scholes [OPTIONS] [STEPS], both from 1 on\n");
    return 2;
  }
  std::vector<option> all(static_cast<std::size_t>(options));
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(all.size());
    all[k] = {0.1 + 0.4 * part, 0.05 * (1 - part), 0.5 + part};
  }
  option* on_device = nullptr;
  double* values = nullptr;
  const std::size_t bytes = all.size() * (intervals + 1) * sizeof(double);
  check(cudaMalloc(&on_device, all.size() * sizeof(option)));
  check(cudaMalloc(&values, bytes));
  check(cudaMemcpy(on_device, all.data(), all.size() * sizeof(option), cudaMemcpyDefault));

  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  price<<<options, solver::threads>>>(on_device, 1, values);  // warms up
  check(cudaGetLastError());
  check(cudaEventRecord(begin));
  price<<<options, solver::threads>>>(on_device, steps, values);
  check(cudaGetLastError());
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end));

  std::vector<double> found(all.size() * (intervals + 1));
  check(cudaMemcpy(found.data(), values, bytes, cudaMemcpyDefault));
  double worst = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (int j = intervals / 8; j <= intervals / 2; ++j) {  // half a strike to two
      const double value = found[k * (intervals + 1) + static_cast<std::size_t>(j)];
      worst = std::max(worst, std::abs(value - exact(all[k], j * (largest_price / intervals))));
    }
  }
  const double solved = static_cast<double>(options) * steps * rows;
  std::printf("%d options, %d steps, %d rows: %.2f ms, %.3f ns a row\n", options, steps, rows,
              static_cast<double>(ms), 1e6 * static_cast<double>(ms) / solved);
  std::printf(
      "coefficients and right-hand sides in memory would be %.2f TB written and %.2f TB "
      "read\n",
      5 * 8e-12 * solved, 5 * 8e-12 * solved);
  std::printf("largest error against the closed formula: %.1e of a strike\n", worst);
  cudaFree(values);
  cudaFree(on_device);
  return worst < 1e-3 ? 0 : 1;
}
