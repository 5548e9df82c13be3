// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Advects profiles, u_t + u_x = 0 on periodic lines, by the compact scheme CRWENO5 (D. Ghosh, J. D.
// Baeder, SIAM J. Sci. Comput. 34(3), 2012): fluxes between points solve a tridiagonal system whose
// entries are weights of three candidates, which depend on u at every point and every stage. A line
// stays in a block for all of its time steps (SSP-RK3), so that neither weights nor stages are ever
// in memory. On a CPU a vector has a line in each lane. Writing the rows of every stage first would
// take ten words a point and stage.
//
// A sine comes back to its place with an error that falls by 2^5 where points double, and a step
// stays between its least and largest value.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include crweno.cu
//   g++ -std=c++20 -O2 -march=native -I PREFIX/include -x c++ crweno.cu -x none -ltridia
//   ./a.out [LINES] [PERIODS] [FILE]
#include "example.hpp"

#include <algorithm>
#include <cmath>

namespace crweno {

using example::array;

/// Returns the row of the flux behind point k, from the five points around it; a value is a number,
/// or one for each of several lines.
template <class Value>
TRIDIA_HOST_DEVICE tridia::row<Value> flux_row(const Value (&f)[5]) {
  const Value bend[] = {f[0] - 2 * f[1] + f[2], f[1] - 2 * f[2] + f[3], f[2] - 2 * f[3] + f[4]};
  const Value slope[] = {f[0] - 4 * f[1] + 3 * f[2], f[1] - f[3], 3 * f[2] - 4 * f[3] + f[4]};
  constexpr double best[] = {0.2, 0.5, 0.3}, least = 1e-6;
  Value w[3], sum = 0;
  for (int j = 0; j < 3; ++j) {
    const Value smooth = least + 13.0 / 12 * (bend[j] * bend[j]) + 0.25 * (slope[j] * slope[j]);
    w[j] = best[j] / (smooth * smooth), sum = sum + w[j];
  }
  for (Value& v : w) v = v / sum;
  return {(2 * w[0] + w[1]) / 3,
          (w[0] + 2 * (w[1] + w[2])) / 3,
          w[2] / 3,
          {(w[0] * f[1] + (5 * (w[0] + w[1]) + w[2]) * f[2] + (w[1] + 5 * w[2]) * f[3]) / 6}};
}

constexpr int most_points = 512, stages = 3;
/// Returns u after a stage of SSP-RK3, from that at the start of the step and the fluxes.
template <class Value>
TRIDIA_HOST_DEVICE Value after_stage(int stage, double courant, const Value& start, const Value& u,
                                     const Value& flux, const Value& flux_before) {
  const double of_start = stage == 0 ? 0 : stage == 1 ? 0.75 : 1.0 / 3;
  return of_start * start + (1 - of_start) * (u - courant * (flux - flux_before));
}

#if defined(__CUDACC__)
/// Takes all steps of the line of a block, in place.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    advect_in_blocks(double* lines, int n, int steps, double courant) {
  using solver = tridia::device::block_solver<double, 8, Threads, 1, tridia::boundary::periodic>;
  __shared__ typename solver::storage memory;
  __shared__ double u[solver::max_rows], start[solver::max_rows], flux[solver::max_rows];
  double* const line = lines + blockIdx.x * static_cast<std::size_t>(n);
  const int t = static_cast<int>(threadIdx.x);
  for (int k = t; k < n; k += Threads) u[k] = line[k];
  __syncthreads();
  solver s(memory);
  for (int step = 0; step < steps; ++step) {
    for (int k = t; k < n; k += Threads) start[k] = u[k];
    for (int stage = 0; stage < stages; ++stage) {
      const auto at = [&](int k) { return u[k < 0 ? k + n : k >= n ? k - n : k]; };
      s.solve(
          n,
          [&](int k) {
            return flux_row<double>({at(k - 2), at(k - 1), at(k), at(k + 1), at(k + 2)});
          },
          [&](int k, double found) { flux[k] = found; });
      __syncthreads();
      for (int k = t; k < n; k += Threads) {
        u[k] = after_stage(stage, courant, start[k], u[k], flux[k], flux[k > 0 ? k - 1 : n - 1]);
      }
      __syncthreads();
    }
  }
  for (int k = t; k < n; k += Threads) line[k] = u[k];
}
void advect(double* lines, int count, int n, int steps, double courant) {
  if (n <= 256) {
    advect_in_blocks<32><<<count, 32>>>(lines, n, steps, courant);
  } else {
    advect_in_blocks<most_points / 8><<<count, most_points / 8>>>(lines, n, steps, courant);
  }
  example::check(cudaGetLastError());
}
#else
/// Takes all steps of as many lines as a vector has lanes, those from `first` on, in place.
void advect_in_lanes(double* lines, int first, int count, int n, int steps, double courant) {
  using example::lanes;
  // Lanes without a line of their own have the last one.
  const auto line_of = [&](int lane) {
    return lines + static_cast<std::size_t>(std::min(first + lane, count - 1)) * n;
  };
  std::vector<lanes> u(n), start(n), flux(n);
  for (int k = 0; k < n; ++k) u[k] = lanes::filled([&](int lane) { return line_of(lane)[k]; });
  tridia::line_solver<lanes, tridia::boundary::periodic> s(n);
  for (int step = 0; step < steps; ++step) {
    start = u;
    for (int stage = 0; stage < stages; ++stage) {
      const auto at = [&](int k) -> const lanes& { return u[k < 0 ? k + n : k >= n ? k - n : k]; };
      s.solve(
          n,
          [&](int k) {
            return flux_row<lanes>({at(k - 2), at(k - 1), at(k), at(k + 1), at(k + 2)});
          },
          [&](int k, const lanes& found) { flux[k] = found; });
      for (int k = 0; k < n; ++k) {
        u[k] = after_stage(stage, courant, start[k], u[k], flux[k], flux[k > 0 ? k - 1 : n - 1]);
      }
    }
  }
  for (int lane = 0; lane < lanes::size() && first + lane < count; ++lane) {
    for (int k = 0; k < n; ++k) line_of(lane)[k] = u[k][lane];
  }
}
void advect(double* lines, int count, int n, int steps, double courant) {
  constexpr int together = example::lanes::size();
  example::for_each((count + together - 1) / together, [=](std::size_t group) {
    advect_in_lanes(lines, static_cast<int>(group) * together, count, n, steps, courant);
  });
}
#endif

struct result {
  std::vector<double> u;
  float ms;
};

/// Advects copies of a profile for some periods, by steps of a quarter of a point.
result run(const std::vector<double>& profile, int lines, int periods) {
  const int n = static_cast<int>(profile.size());
  std::vector<double> all;
  for (int k = 0; k < lines; ++k) all.insert(all.end(), profile.begin(), profile.end());
  const array<double> u(all);
  const float ms = example::time_of([&] { advect(u.data(), lines, n, 4 * n * periods, 0.25); }, 1);
  std::vector<double> found = u.read();
  found.resize(profile.size());
  return {found, ms};
}

}  // namespace crweno

int main(int count, char** arguments) {
  using namespace crweno;
  example::need_machine();
  const int lines = example::number(count, arguments, 1, 2000);
  const int periods = example::number(count, arguments, 2, 1);
  double errors[2];
  for (int j = 0; j < 2; ++j) {
    const int n = 32 << j;
    std::vector<double> sine;
    for (int k = 0; k < n; ++k) sine.push_back(std::sin(2 * std::acos(-1.0) * k / n));
    // Steps in time are small beside the points, so that the error is that of space.
    const array<double> u(sine);
    advect(u.data(), 1, n, 64 * n, 1.0 / 64);
    const std::vector<double> found = u.read();
    errors[j] = 0;
    for (std::size_t k = 0; k < sine.size(); ++k) {
      errors[j] = std::max(errors[j], std::abs(found[k] - sine[k]));
    }
  }
  const double order = std::log2(errors[0] / errors[1]);

  constexpr int points = most_points;
  std::vector<double> box, x;
  for (int k = 0; k < points; ++k) {
    x.push_back((k + 0.5) / points);
    box.push_back(k > points / 4 && k < points / 2 ? 1 : 0);
  }
  run(box, 1, 1);  // warms up
  const result r = run(box, lines, periods);
  const auto [least, most] = std::minmax_element(r.u.begin(), r.u.end());
  double before = 0, after = 0;
  for (std::size_t k = 0; k < r.u.size(); ++k) before += box[k], after += r.u[k];
  example::write_columns(count, arguments, 3, {x, box, r.u});
  const double all_stages = stages * 4.0 * points * periods * lines;
  std::printf("%d lines of %d points, %.0f stages each: %.2f ms, %.1f ps a point and stage\n",
              lines, points, all_stages / lines, static_cast<double>(r.ms),
              1e9 * static_cast<double>(r.ms) / all_stages / points);
  std::printf("rows of every stage in memory would be %.2f TB moved\n",
              10 * 8e-12 * all_stages * points);
  std::printf("a sine: error %.1e on 32 points, %.1e on 64: order %.2f\n", errors[0], errors[1],
              order);
  std::printf("a box: from %.1e to 1 + %.1e; its sum changes by %.1e\n", *least, *most - 1,
              std::abs(after - before));
  return order > 4.5 && *least > -1e-2 && *most < 1 + 1e-2 && std::abs(after - before) < 1e-9 ? 0
                                                                                              : 1;
}
