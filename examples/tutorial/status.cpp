// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> off(12, 0.0), d(12, 2.0), b(12, 1.0), x(12);
  for (int row = 4; row < 8; ++row) d[row] = 0.0;  // the second of three systems is singular
  std::vector<tridia::index_t> status(3);
  tridia::solve(4, 3, off.data(), d.data(), off.data(), b.data(), x.data(), {.status = status});
  for (int k = 0; k < 3; ++k)  // 0 0.5, 1 nan, 0 0.5
    std::printf("%d %g\n", static_cast<int>(status[k]), x[4 * k]);
}
