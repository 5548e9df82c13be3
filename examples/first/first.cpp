// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> off(100, -1.0), d(100, 4.0), field(64 * 100 * 48, 2.0);
  const tridia::view<const double, 1> dl_du(off.data(), {100}), diagonal(d.data(), {100});
  const tridia::view<double, 3> x(field.data(), {64, 100, 48});
  tridia::solve(dl_du, diagonal, dl_du, x, x, {.axis = 1});  // lines along the middle axis
  std::printf("%.6f\n", field[50 * 48]);                     // 1.000000
}
