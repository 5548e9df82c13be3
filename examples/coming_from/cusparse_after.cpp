// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <tridia/tridia.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <vector>

int main() {
  const int m = 512, batch = 1024;
  const std::vector<double> off(m * batch, -1.0), diagonal(m * batch, 4.0);
  std::vector<double> x(m * batch, 2.0);
  const std::size_t bytes = x.size() * sizeof(double);
  double *dl, *d, *du, *b;
  for (double** a : {&dl, &d, &du, &b}) cudaMalloc(reinterpret_cast<void**>(a), bytes);
  cudaMemcpy(dl, off.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d, diagonal.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(du, off.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, x.data(), bytes, cudaMemcpyHostToDevice);

  tridia::problem systems;
  systems.extents = {batch, m};
  const tridia::plan plan(systems, {.backend = tridia::backend::cuda});
  void* buffer = nullptr;
  cudaMalloc(&buffer, plan.workspace_bytes());
  plan.execute(dl, d, du, b, b, {.workspace = buffer, .workspace_bytes = plan.workspace_bytes()});

  cudaMemcpy(x.data(), b, bytes, cudaMemcpyDeviceToHost);
  std::printf("%.6f\n", x[m / 2]);  // 1.000000
}
