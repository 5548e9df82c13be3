// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cstdio>
#include <vector>

int main() {
  const tridia::index_t n = 512, batch = 16384;  // 16 384 systems of 512 rows, one after another
  std::vector<double> dl(n * batch, -1.0), d(n * batch, 2.5), du(n * batch, -1.0);
  std::vector<double> rhs(n * batch, 0.5), x(n * batch);
  tridia::solve(n, batch, dl.data(), d.data(), du.data(), rhs.data(), x.data());
  std::printf("%.12f\n", x[n / 2]);  // 1.000000000000
}
