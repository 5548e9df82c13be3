// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
  const tridia::index_t nx = 64, n = 100, nz = 48;
  const double r = 50.0;  // diffusivity * time step / spacing^2
  std::vector<double> u(nx * n * nz);
  for (std::size_t k = 0; k < u.size(); ++k) {
    const auto j = static_cast<double>(k / nz % n);
    u[k] = std::sin(std::numbers::pi * (j + 1) / (n + 1));
  }

  tridia::problem lines;
  lines.extents = {nx, n, nz};
  lines.axis = 1;
  lines.pivoting = tridia::pivoting::none;  // the matrix is diagonally dominant
  lines.coefficients = tridia::coefficients::constant;
  lines.matrix.interior = {-r, 1 + 2 * r, -r};  // every row is the same
  const tridia::plan plan(lines);
  std::vector<char> workspace(plan.workspace_bytes());
  for (int step = 0; step < 10; ++step)  // nothing is allocated here
    plan.execute(u.data(), u.data(),
                 {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  std::printf("%.6f\n", *std::max_element(u.begin(), u.end()));
}
