// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const double h = 0.02;
  tridia::grid box;  // lines along the middle axis of a 3-D field
  box.extents = {64, 101, 48};
  box.axis = 1;
  box.spacing = h;
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  const tridia::compact_operator ddy(c6, box);  // closed by 3-4-6-4-3

  std::vector<double> f(64 * 101 * 48), df(f.size());
  for (std::size_t k = 0; k < f.size(); ++k) f[k] = std::exp(h * static_cast<double>(k / 48 % 101));
  std::vector<char> workspace(ddy.workspace_bytes());
  const tridia::execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
  ddy.apply(f.data(), df.data(), e);                // df = df/dy
  ddy.apply_add(-0.5, f.data(), df.data(), e);      // df -= 0.5 df/dy
  std::printf("%.6f\n", df[50 * 48] / f[50 * 48]);  // 0.500000
}
