// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Mixes columns of an ocean, implicitly and with coefficients that are computed in the kernel:
// viscosity and diffusivity depend on the Richardson number between two levels (R. C. Pacanowski,
// S. G. H. Philander, J. Phys. Oceanogr. 11, 1981), so on shear and stratification. Both velocities
// share a matrix, temperature has its own; nothing but the fields themselves is ever in memory.
//
// No flux leaves a column, so the sums of velocity and temperature stay what they are, and one
// column is solved on the host as well.
//
//   nvcc -std=c++20 --extended-lambda -arch=native -I PREFIX/include ocean_mixing.cu
//   g++ -std=c++20 -O2 -march=native -I PREFIX/include -x c++ ocean_mixing.cu -x none -ltridia
//   ./a.out [LEVELS] [COLUMNS] [FILE]
#include "example.hpp"

#include <algorithm>
#include <cmath>

namespace ocean {

using example::array;
using tridia::inputs, tridia::line_grid, tridia::packed, tridia::packed_field, tridia::row,
    tridia::value_at;

constexpr double level_metres = 5, time_step = 3600;
constexpr double expansion = 2e-4, gravity = 9.81;                    // of temperature, 1/K; m/s^2
constexpr double mixed = 1e-2, viscosity = 1e-4, diffusivity = 1e-5;  // m^2/s

template <class Value>
struct coefficients {
  Value viscosity, diffusivity;  // times dt / dz^2
};
/// Returns what mixes two neighbouring levels, from their differences.
template <class Value>
TRIDIA_HOST_DEVICE coefficients<Value> between(Value du, Value dv, Value dt) {
  const Value shear = (du * du + dv * dv) / (level_metres * level_metres);
  const Value stratification = gravity * expansion * dt / level_metres;
  const Value richardson = tridia::math::max(stratification, 0.0) / tridia::math::max(shear, 1e-10);
  const Value damping = 1 / (1 + 5 * richardson);
  const double scale = time_step / level_metres / level_metres;
  const Value nu = mixed * damping * damping + viscosity;
  return {nu * scale, (nu * damping + diffusivity) * scale};
}

/// Fields [level][column], the surface first, at the points of a column.
template <class Field>
struct state {
  const Field &u, &v, &t;
  int levels;
  /// Returns what mixes levels k - 1 and k; nothing at the surface and the bottom.
  template <class Point>
  TRIDIA_HOST_DEVICE auto above(const Point& p, int k) const {
    using value = value_at<double, Point>;
    if (k == 0 || k == levels) return coefficients<value>{0, 0};
    const Point low = p.moved(0, k - p[0]), high = low.moved(0, -1);
    return between<value>(u(high) - u(low), v(high) - v(low), t(high) - t(low));
  }
};

/// The rows of both velocities, which share a matrix, and those of temperature.
struct velocity_rows {
  int levels;
  template <class Point, class Field>
  TRIDIA_HOST_DEVICE auto operator()(const Point& p, const Field& u, const Field& v,
                                     const Field& t) const {
    using value = value_at<double, Point>;
    const state<Field> s{u, v, t, levels};
    const value a = s.above(p, p[0]).viscosity, b = s.above(p, p[0] + 1).viscosity;
    return row<value, 2>{-a, 1 + a + b, -b, {u(p), v(p)}};
  }
};
struct temperature_rows {
  int levels;
  template <class Point, class Field>
  TRIDIA_HOST_DEVICE auto operator()(const Point& p, const Field& u, const Field& v,
                                     const Field& t) const {
    using value = value_at<double, Point>;
    const state<Field> s{u, v, t, levels};
    const value a = s.above(p, p[0]).diffusivity, b = s.above(p, p[0] + 1).diffusivity;
    return row<value>{-a, 1 + a + b, -b, {t(p)}};
  }
};
struct store_velocities {
  packed_field<double> u, v;
  template <class Point, class Value>
  TRIDIA_HOST_DEVICE void operator()(const Point& p, const Value (&x)[2]) const {
    u(p) = x[0], v(p) = x[1];
  }
};
struct store_temperature {
  packed_field<double> t;
  template <class Point, class Value>
  TRIDIA_HOST_DEVICE void operator()(const Point& p, const Value& x) const {
    t(p) = x;
  }
};

void mix(const line_grid<2, 0>& g, const double* const (&from)[3], double* const (&to)[3]) {
  const auto all = inputs(packed(from[0]), packed(from[1]), packed(from[2]));
  example::solve_lines<double, 2>(g, all, velocity_rows{g.rows()},
                                  store_velocities{packed(to[0]), packed(to[1])});
  example::solve_lines<double>(g, all, temperature_rows{g.rows()},
                               store_temperature{packed(to[2])});
}

/// Solves a column on the host, by elimination; `k_of(k)` is what mixes levels k - 1 and k.
template <class Coefficient>
std::vector<double> mixed_on_host(const std::vector<double>& f, Coefficient k_of) {
  const std::size_t n = f.size();
  std::vector<double> upper(n), x(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double a = k_of(k), b = k_of(k + 1), before = k > 0 ? upper[k - 1] : 0;
    const double pivot = 1 + a + b + a * before;
    upper[k] = -b / pivot;
    x[k] = (f[k] + (k > 0 ? a * x[k - 1] : 0)) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 0;) x[k] -= upper[k] * x[k + 1];
  return x;
}

}  // namespace ocean

int main(int count, char** arguments) {
  using namespace ocean;
  example::need_machine();
  const int levels = example::number(count, arguments, 1, 128);
  const int columns = example::number(count, arguments, 2, 1 << 18);
  const auto n = static_cast<std::size_t>(levels), across = static_cast<std::size_t>(columns);
  std::vector<double> u(n * across), v(u.size()), t(u.size());
  for (std::size_t k = 0; k < n; ++k) {
    const double depth = (static_cast<double>(k) + 0.5) * level_metres;
    for (std::size_t c = 0; c < across; ++c) {
      const double place = static_cast<double>(c) / static_cast<double>(across);
      u[k * across + c] = (0.5 + place) * std::exp(-depth / 40);
      v[k * across + c] = 0.3 * std::sin(depth / 30) * std::exp(-depth / 60);
      t[k * across + c] = 4 + (12 + 8 * place) * std::exp(-std::pow(depth / 120, 2));
    }
  }
  const array<double> of_u(u), of_v(v), of_t(t), to_u(u.size()), to_v(u.size()), to_t(u.size());
  const double *const ud = of_u.data(), *const vd = of_v.data(), *const tdata = of_t.data();
  const line_grid<2, 0> g{{levels, columns}};
  const float ms = example::time_of([&] {
    mix(g, {ud, vd, tdata}, {to_u.data(), to_v.data(), to_t.data()});
  });
  double *const a = to_u.data(), *const b = to_v.data(), *const c = to_t.data();
  const std::vector<double> found_u = to_u.read(), found_v = to_v.read(), found_t = to_t.read();
  const float copy = example::time_of([&] {
    example::for_each(u.size(), [=] EXAMPLE_DEVICE(std::size_t i) {
      a[i] = ud[i], b[i] = vd[i], c[i] = tdata[i];
    });
  });

  double error = 0, lost = 0;
  std::vector<double> depth, u_then, u_now, t_then, t_now;
  for (const std::size_t column : {std::size_t{0}, across / 2, across - 1}) {
    const auto line = [&](const std::vector<double>& f) {
      std::vector<double> values;
      for (std::size_t k = 0; k < n; ++k) values.push_back(f[k * across + column]);
      return values;
    };
    u_then = line(u), u_now = line(found_u), t_then = line(t), t_now = line(found_t);
    const std::vector<double> v_then = line(v), v_now = line(found_v);
    const auto at = [&](std::size_t k) {
      if (k == 0 || k == n) return coefficients<double>{0, 0};
      return between(u_then[k - 1] - u_then[k], v_then[k - 1] - v_then[k],
                     t_then[k - 1] - t_then[k]);
    };
    const auto of_viscosity = [&](std::size_t k) { return at(k).viscosity; };
    const auto expected_u = mixed_on_host(u_then, of_viscosity),
               expected_v = mixed_on_host(v_then, of_viscosity),
               expected_t = mixed_on_host(t_then, [&](std::size_t k) { return at(k).diffusivity; });
    double before = 0, after = 0;
    for (std::size_t k = 0; k < n; ++k) {
      before += t_then[k], after += t_now[k];
      error = std::max({error, std::abs(u_now[k] - expected_u[k]),
                        std::abs(v_now[k] - expected_v[k]), std::abs(t_now[k] - expected_t[k])});
    }
    lost = std::max(lost, std::abs(after - before) / before);
  }
  for (std::size_t k = 0; k < n; ++k)
    depth.push_back((static_cast<double>(k) + 0.5) * level_metres);
  example::write_columns(count, arguments, 3, {depth, u_then, u_now, t_then, t_now});
  std::printf("%d levels, %d columns: %.3f ms, %.2f times the copy of three fields\n", levels,
              columns, static_cast<double>(ms), static_cast<double>(ms / copy));
  std::printf("with rows in memory 9 words a row would be written and read once more\n");
  std::printf("error against the host: %.1e; of the sum of a column: %.1e\n", error, lost);
  return error < 1e-11 && lost < 1e-12 ? 0 : 1;
}
