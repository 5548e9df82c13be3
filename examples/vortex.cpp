// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// An inviscid vortex, carried once through a periodic box: the 2-D Euler equations by the compact
// scheme C6 and a filter F8, in time by Runge and Kutta's method of fourth order. The vortex is an
// exact solution, so that after one period the field should be what it was. Writes the pressure, as
// NPY, for examples/vortex.py to draw; exits with 1 if the error is not what it should be.
//
//   vortex [points a side] [pressure.npy]
#include <tridia/tridia.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using field = std::vector<double>;
/// rho, rho u, rho v, E.
using state = std::array<field, 4>;

constexpr double length = 10, gamma_gas = 1.4, speed = 0.5;  // the stream's Mach number is 0.5

/// The isentropic vortex of strength 5 in the middle of the box (H. C. Yee, N. D. Sandham, M. J.
/// Djomehri, J. Comput. Phys. 150 (1999) 199), carried along x.
state vortex(int n) {
  state q;
  for (field& f : q) f.resize(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = length * i / n - length / 2, y = length * j / n - length / 2;
      const double swirl = 5 / (2 * M_PI) * std::exp((1 - x * x - y * y) / 2);
      const double u = speed - swirl * y, v = swirl * x;
      const double heat = 1 - (gamma_gas - 1) / (2 * gamma_gas) * swirl * swirl;
      const double rho = std::pow(heat, 1 / (gamma_gas - 1)), p = rho * heat;
      const std::size_t k = static_cast<std::size_t>(i * n + j);
      q[0][k] = rho;
      q[1][k] = rho * u;
      q[2][k] = rho * v;
      q[3][k] = p / (gamma_gas - 1) + rho * (u * u + v * v) / 2;
    }
  }
  return q;
}

double pressure(const state& q, std::size_t k) {
  const double kinetic = (q[1][k] * q[1][k] + q[2][k] * q[2][k]) / (2 * q[0][k]);
  return (gamma_gas - 1) * (q[3][k] - kinetic);
}

/// A compact operator along an axis of the box, with its workspace.
class line {
 public:
  line(const tridia::scheme& s, int n, int axis)
      : op_(s, {.extents = {n, n},
                .axis = axis,
                .spacing = length / n,
                .boundary = tridia::boundary::periodic}),
        workspace_(op_.workspace_bytes()) {}
  void apply(const field& in, field& out) { op_.apply(in.data(), out.data(), execution()); }
  void subtract(const field& in, field& out) {
    op_.apply_add(-1, in.data(), out.data(), execution());
  }

 private:
  tridia::execution execution() {
    return {.workspace = workspace_.data(), .workspace_bytes = workspace_.size()};
  }
  tridia::compact_operator op_;
  std::vector<char> workspace_;
};

class euler {
 public:
  explicit euler(int n)
      : ddx_(derivative(), n, 0),
        ddy_(derivative(), n, 1),
        filter_x_(filter(), n, 0),
        filter_y_(filter(), n, 1),
        flux_(static_cast<std::size_t>(n * n)) {}

  void step(state& q, double dt) {
    state sum = q, stage = q, rate = q;
    const double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, ahead[] = {0.5, 0.5, 1, 0};
    for (int s = 0; s < 4; ++s) {
      find_rate(stage, rate);
      for (std::size_t c = 0; c < q.size(); ++c) {
        for (std::size_t k = 0; k < flux_.size(); ++k) {
          sum[c][k] += weights[s] * dt * rate[c][k];
          stage[c][k] = q[c][k] + ahead[s] * dt * rate[c][k];
        }
      }
    }
    q = sum;
    for (field& f : q) {
      filter_x_.apply(f, f);
      filter_y_.apply(f, f);
    }
  }

 private:
  static tridia::scheme derivative() {
    return tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  }
  static tridia::scheme filter() {
    return tridia::find_scheme(tridia::quantity::filter, "F8", tridia::staggering::none, 0.49);
  }

  /// -d/dx of the fluxes along x, less d/dy of those along y.
  void find_rate(const state& q, state& rate) {
    for (std::size_t c = 0; c < q.size(); ++c) {
      std::fill(rate[c].begin(), rate[c].end(), 0.0);
      for (const int axis : {0, 1}) {
        for (std::size_t k = 0; k < flux_.size(); ++k) {
          const double p = pressure(q, k), carried = q[1 + axis][k] / q[0][k];
          const double pushed = c == static_cast<std::size_t>(1 + axis) ? p
                                : c == 3                                ? p * carried
                                                                        : 0;
          flux_[k] = q[c][k] * carried + pushed;
        }
        (axis == 0 ? ddx_ : ddy_).subtract(flux_, rate[c]);
      }
    }
  }

  line ddx_, ddy_, filter_x_, filter_y_;
  field flux_;
};

void write_npy(const char* path, const field& f, int n) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return std::perror(path);
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(n) +
                       ", " + std::to_string(n) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fwrite(f.data(), sizeof(double), f.size(), file);
  std::fclose(file);
}

}  // namespace

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 64;
  const state start = vortex(n);
  state q = start;
  euler equations(n);
  const double period = length / speed;
  const int steps = static_cast<int>(std::ceil(period / (0.4 * length / n)));
  for (int s = 0; s < steps; ++s) equations.step(q, period / steps);

  double error = 0, depth = 0;
  field p(q[0].size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = pressure(q, k);
    error = std::max(error, std::abs(p[k] - pressure(start, k)));
    depth = std::max(depth, 1 - pressure(start, k));
  }
  std::printf("%d steps, largest error of the pressure %.1e of the vortex's %.2f\n", steps,
              error / depth, depth);
  if (count > 2) write_npy(arguments[2], p, n);
  return error / depth < 0.01 ? 0 : 1;
}
