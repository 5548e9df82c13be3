// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// The package test builds and links this file.
#include <tridia/mpi.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const tridia::distributed::decomposition blocks({8, 3}, {1, 1});
    tridia::distributed::plan lines(blocks, {.axis = 0},
                                    tridia::distributed::mpi_communicator(MPI_COMM_WORLD));
    std::printf("%s\n", lines.reason().c_str());
  }
  MPI_Finalize();
}
