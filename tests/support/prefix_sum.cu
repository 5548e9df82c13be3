// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/prefix_sum.hpp"

#include "solver/cuda/block_line.cuh"

namespace tridia_test {
namespace {

constexpr int most_threads = 1024;

template <int Depth>
__global__ void __launch_bounds__(most_threads) kernel(int n, index_t* numbers) {
  extern __shared__ index_t memory[];
  const tridia::cuda::block_team team;
  const int first = Depth * team.rank();
  index_t r[Depth], sum[Depth];
#pragma unroll
  for (int i = 0; i < Depth; ++i) r[i] = first + i < n ? numbers[first + i] : 0;
  tridia::core::reduce_packed<Depth>((n + Depth - 1) / Depth, r, sum, shared_numbers{memory},
                                     shared_numbers{memory + team.size()}, prefix_sum{}, team);
#pragma unroll
  for (int i = 0; i < Depth; ++i) {
    if (first + i < n) numbers[first + i] = sum[i];
  }
}

template <int Depth>
int launch(int n, index_t* numbers) {
  const int threads = ((n + Depth - 1) / Depth + 31) / 32 * 32;
  kernel<Depth><<<1, threads, 2 * threads * sizeof(index_t)>>>(n, numbers);
  const cudaError_t launched = cudaGetLastError();
  return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

}  // namespace

int device_prefix_sum(int depth, int n, index_t* numbers) {
  switch (depth) {
    case 2:
      return launch<2>(n, numbers);
    case 4:
      return launch<4>(n, numbers);
    case 8:
      return launch<8>(n, numbers);
    case 16:
      return launch<16>(n, numbers);
    default:
      return launch<32>(n, numbers);
  }
}

}  // namespace tridia_test
