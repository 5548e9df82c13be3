// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/launch.cuh"

#include <algorithm>

namespace tridia::gpu {

template <class F>
__global__ void __launch_bounds__(block_threads)
    for_each_kernel(index_t count, const __grid_constant__ F f) {
  for (index_t i = thread_index(); i < count; i += thread_count()) f(i, i);
}

/// Calls f(i, i) for i from 0 to count - 1, one thread for each; neighbouring threads take
/// neighbouring i.
template <class F>
cudaError_t for_each(index_t count, const F& f, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  constexpr index_t most_blocks = index_t{1} << 20;
  const index_t blocks = (count + block_threads - 1) / block_threads;
  for_each_kernel<<<static_cast<unsigned>(std::min(blocks, most_blocks)), block_threads, 0,
                    stream>>>(count, f);
  return cudaGetLastError();
}

}  // namespace tridia::gpu
