// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/mpi.hpp>
#include <tridia/tridia.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace ranks = tridia::distributed;

void diffuse() {
  const tridia::index_t nx = 64, n = 100, nz = 48;
  const double r = 50.0;
  const auto world = ranks::mpi_communicator(MPI_COMM_WORLD);
  // The middle axis is cut, so that every line crosses all ranks.
  const ranks::decomposition blocks({nx, n, nz}, {1, world.size(), 1});
  const ranks::block mine = blocks.block(world.rank());
  std::vector<double> u(nx * mine.extents[1] * nz);
  for (std::size_t k = 0; k < u.size(); ++k) {
    const auto j = static_cast<double>(mine.begin[1] + k / nz % mine.extents[1]);
    u[k] = std::sin(std::numbers::pi * (j + 1) / (n + 1));
  }

  tridia::problem lines;  // its matrix is that of whole lines
  lines.axis = 1;
  lines.pivoting = tridia::pivoting::none;
  lines.coefficients = tridia::coefficients::constant;
  lines.matrix.interior = {-r, 1 + 2 * r, -r};
  ranks::plan plan(blocks, lines, world);
  for (int step = 0; step < 10; ++step) plan.execute(nullptr, nullptr, nullptr, u.data(), u.data());

  double largest = *std::max_element(u.begin(), u.end());
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank() == 0) std::printf("%.6f\n", largest);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  diffuse();
  MPI_Finalize();
}
