// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/mpi.hpp>
#include <tridia/nccl.hpp>
#include <tridia/tridia.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace ranks = tridia::distributed;

void diffuse() {
  const tridia::index_t nx = 64, n = 100, nz = 48;
  const double r = 50.0;
  const auto hosts = ranks::mpi_communicator(MPI_COMM_WORLD);
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  cudaSetDevice(hosts.rank() % gpus);  // a GPU for each rank of a node
  const auto world = ranks::nccl_communicator(hosts);
  const ranks::decomposition blocks({nx, n, nz}, {1, world.size(), 1});
  const ranks::block mine = blocks.block(world.rank());
  std::vector<double> host(nx * mine.extents[1] * nz);
  for (std::size_t k = 0; k < host.size(); ++k) {
    const auto j = static_cast<double>(mine.begin[1] + k / nz % mine.extents[1]);
    host[k] = std::sin(std::numbers::pi * (j + 1) / (n + 1));
  }

  tridia::problem lines;
  lines.axis = 1;
  lines.pivoting = tridia::pivoting::none;
  lines.coefficients = tridia::coefficients::constant;
  lines.matrix.interior = {-r, 1 + 2 * r, -r};
  ranks::plan plan(blocks, lines, world);

  double* u = nullptr;  // this rank's block, in the memory of its GPU
  cudaMalloc(reinterpret_cast<void**>(&u), host.size() * sizeof(double));
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMemcpy(u, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step)  // messages are in the stream as well
    plan.execute(nullptr, nullptr, nullptr, u, u, {.stream = stream});
  world.synchronize(stream);  // waits, and says whether all ranks were there
  cudaMemcpy(host.data(), u, host.size() * sizeof(double), cudaMemcpyDeviceToHost);

  double largest = *std::max_element(host.begin(), host.end());
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank() == 0) std::printf("%.6f\n", largest);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  diffuse();
  MPI_Finalize();
}
