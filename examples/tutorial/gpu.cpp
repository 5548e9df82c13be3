// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
  const tridia::index_t nx = 64, n = 100, nz = 48;
  const double r = 50.0;
  std::vector<double> host(nx * n * nz);
  for (std::size_t k = 0; k < host.size(); ++k) {
    const auto j = static_cast<double>(k / nz % n);
    host[k] = std::sin(std::numbers::pi * (j + 1) / (n + 1));
  }

  tridia::problem lines;
  lines.extents = {nx, n, nz};
  lines.axis = 1;
  lines.pivoting = tridia::pivoting::none;
  lines.coefficients = tridia::coefficients::constant;
  lines.matrix.interior = {-r, 1 + 2 * r, -r};
  const tridia::plan plan(lines, {.backend = tridia::backend::cuda});

  double* u = nullptr;
  void* workspace = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&u), host.size() * sizeof(double));
  cudaMalloc(&workspace, plan.workspace_bytes());
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMemcpy(u, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step)  // work is put into the stream; nothing waits
    plan.execute(
        u, u,
        {.workspace = workspace, .workspace_bytes = plan.workspace_bytes(), .stream = stream});
  cudaStreamSynchronize(stream);
  cudaMemcpy(host.data(), u, host.size() * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("%.6f\n", *std::max_element(host.begin(), host.end()));
}
