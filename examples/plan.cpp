// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <iostream>
#include <vector>

int main() {
  tridia::problem lines;  // along the middle axis of a 3-D field, one matrix for all lines
  lines.extents = {64, 100, 48};
  lines.axis = 1;
  lines.coefficients = tridia::coefficients::shared;
  lines.pivoting = tridia::pivoting::none;  // the matrix below is diagonally dominant
  const tridia::plan plan(lines);

  std::vector<double> dl(100, -1.0), d(100, 4.0), du(100, -1.0), field(64 * 100 * 48, 2.0);
  std::vector<char> workspace(plan.workspace_bytes());
  std::vector<tridia::index_t> status(plan.systems());
  for (int step = 0; step < 10; ++step)  // in place; nothing is allocated here
    plan.execute(dl.data(), d.data(), du.data(), field.data(), field.data(),
                 {.workspace = workspace.data(),
                  .workspace_bytes = workspace.size(),
                  .status = status.data()});
  std::cout << tridia::name(plan.algorithm()) << ": " << plan.reason() << '\n';
}
