// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "floor_cuda.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/device_copy.hpp"

namespace tridia_bench {
namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(result));
}

struct device_free {
  void operator()(double* p) const { cudaFree(p); }
};

}  // namespace

double device_copy_bytes_per_second(int reads) {
  constexpr std::size_t bytes = std::size_t{256} << 20;  // of each array: far larger than a cache
  static_assert(bytes % kCopyGranule == 0);
  std::unique_ptr<double, device_free> memory[5];
  for (auto& m : memory) {
    double* p = nullptr;
    check(cudaMalloc(&p, bytes));
    m.reset(p);
    check(cudaMemset(p, 0x3f, bytes));  // ordinary numbers
  }
  const copy_arrays arrays{
      {memory[0].get(), memory[1].get(), memory[2].get(), memory[3].get()}, memory[4].get(), bytes};
  int device = 0, capability = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device));

  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 1e30f;
  for (const device_copy& copy : device_copies(reads)) {
    if (capability < copy.least_capability) continue;
    std::vector<float> times(11);
    for (float& ms : times) {
      check(cudaEventRecord(begin));
      check(copy.launch(arrays, nullptr));
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      check(cudaEventElapsedTime(&ms, begin, end));
    }
    std::sort(times.begin(), times.end());
    best = std::min(best, times[times.size() / 2]);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return (reads + 1) * 1e3 * static_cast<double>(bytes) / static_cast<double>(best);
}

}  // namespace tridia_bench
