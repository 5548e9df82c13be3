// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "small_kernels.hpp"

namespace tridia_bench {
namespace {

struct parameters {
  char bytes[1024];
};

__global__ void empty() {}
__global__ void empty_with([[maybe_unused]] const __grid_constant__ parameters p) {}

__global__ void delay(long long nanoseconds) {
  long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

cudaLaunchConfig_t one_warp(cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = stream;
  return config;
}

}  // namespace

cudaError_t launch_empty(cudaStream_t stream) {
  const cudaLaunchConfig_t config = one_warp(stream);
  return cudaLaunchKernelEx(&config, empty);
}

cudaError_t launch_empty_with_parameters(cudaStream_t stream) {
  const cudaLaunchConfig_t config = one_warp(stream);
  return cudaLaunchKernelEx(&config, empty_with, parameters{});
}

cudaError_t launch_delay(cudaStream_t stream) {
  const cudaLaunchConfig_t config = one_warp(stream);
  return cudaLaunchKernelEx(&config, delay, 50000LL);
}

}  // namespace tridia_bench
