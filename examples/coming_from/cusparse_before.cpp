// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <cusparse.h>

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
  // dl[0] and du[m-1] of each system have to be 0.
  cudaMemset2D(dl, m * sizeof(double), 0, sizeof(double), batch);
  cudaMemset2D(du + m - 1, m * sizeof(double), 0, sizeof(double), batch);

  cusparseHandle_t handle;
  cusparseCreate(&handle);
  std::size_t size = 0;
  cusparseDgtsv2StridedBatch_bufferSizeExt(handle, m, dl, d, du, b, batch, m, &size);
  void* buffer = nullptr;
  cudaMalloc(&buffer, size);
  cusparseDgtsv2StridedBatch(handle, m, dl, d, du, b, batch, m, buffer);

  cudaMemcpy(x.data(), b, bytes, cudaMemcpyDeviceToHost);
  std::printf("%.6f\n", x[m / 2]);  // 1.000000
}
