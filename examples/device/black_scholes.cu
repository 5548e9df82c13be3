// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Prices many European puts by the Crank-Nicolson scheme for the Black-Scholes equation
//
//   v_t + 1/2 sigma^2 S^2 v_SS + r S v_S - r v = 0,   v(S, T) = max(1 - S, 0),
//
// on 513 prices S from 0 to 4 strikes. A block holds an option for all of its time steps: a row of
// the matrix is a few operations of k, sigma and r, so no coefficient ever lies in memory, and
// neither does any v but the last. On a CPU a vector has an option in each lane. The result is
// compared with the closed formula.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include black_scholes.cu
//   g++ -std=c++20 -O2 -march=native -I PREFIX/include -x c++ black_scholes.cu -x none -ltridia
//   ./a.out [OPTIONS] [STEPS] [FILE]
#include "example.hpp"

#include <algorithm>
#include <cmath>

namespace black_scholes {

struct option {
  double sigma, rate, years;
};

constexpr int intervals = 512, rows = intervals - 1;
constexpr double largest_price = 4;

/// Makes rows of a step; a value is a number, or one for each of several options.
template <class Value>
struct option_rows {
  Value dt, variance, rate;
  /// Makes row k, of price k + 1, from v at the prices around it. Prices 0 and `intervals` are
  /// known; `at_zero` is v at price 0 after the step.
  TRIDIA_HOST_DEVICE tridia::row<Value> operator()(int k, const Value& v0, const Value& v1,
                                                   const Value& v2, const Value& at_zero) const {
    const double j = k + 1;
    const Value below = 0.25 * dt * (variance * j * j - rate * j);
    const Value here = -0.5 * dt * (variance * j * j + rate);
    const Value above = 0.25 * dt * (variance * j * j + rate * j);
    Value rhs = below * v0 + (1 + here) * v1 + above * v2;
    if (k == 0) rhs = rhs + below * at_zero;
    return {-below, 1 - here, -above, {rhs}};
  }
};
TRIDIA_HOST_DEVICE double payoff(int k) {
  return tridia::math::max(1 - k * (largest_price / intervals), 0.0);
}

#if defined(__CUDACC__)
using solver = tridia::device::block_solver<double, 9, 64>;
static_assert(rows <= solver::max_rows);

/// Computes v(S, 0) of one option in each block.
__global__ void __launch_bounds__(solver::threads)
    price_in_blocks(const option* options, int steps, double* values) {
  __shared__ typename solver::storage memory;
  __shared__ double v[intervals + 1];
  const option o = options[blockIdx.x];
  const double dt = o.years / steps;
  const option_rows<double> make_row{dt, o.sigma * o.sigma, o.rate};
  for (int k = threadIdx.x; k <= intervals; k += solver::threads) v[k] = payoff(k);
  solver s(memory);
  for (int step = 1; step <= steps; ++step) {
    __syncthreads();
    const double at_zero = exp(-o.rate * dt * step);
    // All rows are made before any x is there, so that x may take the place of v.
    s.solve(
        rows, [&](int k) { return make_row(k, v[k], v[k + 1], v[k + 2], at_zero); },
        [&](int k, double x) { v[k + 1] = x; });
    if (threadIdx.x == 0) v[0] = at_zero;
  }
  __syncthreads();
  for (int k = threadIdx.x; k <= intervals; k += solver::threads) {
    values[blockIdx.x * (intervals + 1) + k] = v[k];
  }
}
void price(const option* options, int count, int steps, double* values) {
  price_in_blocks<<<count, solver::threads>>>(options, steps, values);
}
#else
/// Computes v(S, 0) of as many options as a vector has lanes, those from `first` on.
void price_in_lanes(const option* options, int first, int count, int steps, double* values) {
  using example::lanes;
  // Lanes without an option of their own have the last one.
  const auto of_option = [&](int lane) { return options[std::min(first + lane, count - 1)]; };
  const lanes rate = lanes::filled([&](int lane) { return of_option(lane).rate; });
  const lanes sigma = lanes::filled([&](int lane) { return of_option(lane).sigma; });
  const lanes dt = lanes::filled([&](int lane) { return of_option(lane).years / steps; });
  const option_rows<lanes> make_row{dt, sigma * sigma, rate};
  tridia::line_solver<lanes> s(rows);
  std::vector<lanes> v(intervals + 1);
  for (int k = 0; k <= intervals; ++k) v[k] = payoff(k);
  for (int step = 1; step <= steps; ++step) {
    const lanes at_zero = tridia::math::exp(-rate * dt * step);
    s.solve(
        rows, [&](int k) { return make_row(k, v[k], v[k + 1], v[k + 2], at_zero); },
        [&](int k, const lanes& x) { v[k + 1] = x; });
    v[0] = at_zero;
  }
  for (int lane = 0; lane < lanes::size() && first + lane < count; ++lane) {
    for (int k = 0; k <= intervals; ++k) {
      values[static_cast<std::size_t>(first + lane) * (intervals + 1) + k] = v[k][lane];
    }
  }
}
void price(const option* options, int count, int steps, double* values) {
  constexpr int together = example::lanes::size();
  example::for_each((count + together - 1) / together, [=](std::size_t group) {
    price_in_lanes(options, static_cast<int>(group) * together, count, steps, values);
  });
}
#endif

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Returns the price of a put of strike 1, by the formula of Black and Scholes (1973).
double exact(const option& o, double spot) {
  const double spread = o.sigma * std::sqrt(o.years);
  const double d1 = (std::log(spot) + (o.rate + 0.5 * o.sigma * o.sigma) * o.years) / spread;
  return std::exp(-o.rate * o.years) * normal(spread - d1) - spot * normal(-d1);
}

}  // namespace black_scholes

int main(int count, char** arguments) {
  using namespace black_scholes;
  example::need_machine();
  const int options = example::number(count, arguments, 1, 20000);
  const int steps = example::number(count, arguments, 2, 200);
  std::vector<option> all(static_cast<std::size_t>(options));
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(all.size());
    all[k] = {0.1 + 0.4 * part, 0.05 * (1 - part), 0.5 + part};
  }
  const example::array<option> on_device(all);
  const example::array<double> values(all.size() * (intervals + 1));
  price(on_device.data(), options, 1, values.data());  // warms up
  const float ms =
      example::time_of([&] { price(on_device.data(), options, steps, values.data()); }, 1);

  const std::vector<double> found = values.read();
  double worst = 0;
  std::vector<double> spots, prices, expected;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (int j = intervals / 8; j <= intervals / 2; ++j) {  // half a strike to two
      const double spot = j * (largest_price / intervals);
      const double value = found[k * (intervals + 1) + static_cast<std::size_t>(j)];
      worst = std::max(worst, std::abs(value - exact(all[k], spot)));
      if (k > 0) continue;
      spots.push_back(spot), prices.push_back(value), expected.push_back(exact(all[k], spot));
    }
  }
  example::write_columns(count, arguments, 3, {spots, prices, expected});
  const double solved = static_cast<double>(options) * steps * rows;
  std::printf("%d options, %d steps, %d rows: %.2f ms, %.1f ps a row\n", options, steps, rows,
              static_cast<double>(ms), 1e9 * static_cast<double>(ms) / solved);
  std::printf("rows and prices in memory would be %.2f TB moved\n", 10 * 8e-12 * solved);
  std::printf("largest error against the closed formula: %.1e of a strike\n", worst);
  return worst < 1e-3 ? 0 : 1;
}
