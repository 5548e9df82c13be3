// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "device_fields.hpp"

#include "../cuda/device.hpp"

namespace tridia_bench {
namespace {

constexpr int kThreads = 256, kBlocks = 132 * 8;

__device__ index_t thread_index() {
  return static_cast<index_t>(blockIdx.x) * kThreads + threadIdx.x;
}
constexpr index_t kAllThreads = static_cast<index_t>(kThreads) * kBlocks;

__global__ void fill_kernel(double* to, block_shape s, const double* of_row) {
  for (index_t k = thread_index(); k < s.points; k += kAllThreads) {
    to[k] = of_row[k / s.inner % s.rows];
  }
}

/// Finds the largest error by its bits: those of numbers that are not negative are ordered as the
/// numbers are, and those of NaN are above all.
__global__ void error_kernel(const double* from, block_shape s, const double* of_row,
                             unsigned long long* largest) {
  double mine = 0;
  for (index_t k = thread_index(); k < s.points; k += kAllThreads) {
    const double e = fabs(from[k] - of_row[k / s.inner % s.rows]);
    if (!(e <= mine)) mine = e;
  }
  atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(mine)));
}

device_array on_device(const std::vector<double>& values) {
  device_array there(values.size() * sizeof(double));
  there.upload(values.data());
  return there;
}

}  // namespace

std::shared_ptr<double> device_doubles(std::size_t count) {
  // The memory is not from the pool of `device_array`, which other devices may not be able to
  // access.
  double* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(double)), "cudaMalloc");
  const std::shared_ptr<double> owner(memory, [](double* p) { cudaFree(p); });
  check(cudaMemset(memory, 0xff, count * sizeof(double)), "cudaMemset");
  return owner;
}

void device_fill(double* to, const block_shape& s, const std::vector<double>& of_row) {
  const device_array rows = on_device(of_row);
  fill_kernel<<<kBlocks, kThreads>>>(to, s, rows.as<double>());
  check(cudaGetLastError(), "filling a field");
  check(cudaDeviceSynchronize(), "filling a field");
}

double device_largest_error(const double* from, const block_shape& s,
                            const std::vector<double>& of_row) {
  const device_array rows = on_device(of_row), largest(sizeof(double));
  largest.set(0, nullptr);
  error_kernel<<<kBlocks, kThreads>>>(from, s, rows.as<double>(), largest.as<unsigned long long>());
  check(cudaGetLastError(), "comparing a field");
  double all = 0;
  largest.download(&all);
  return all;
}

}  // namespace tridia_bench
