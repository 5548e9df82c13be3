// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device_limits.hpp"

#include <cuda_runtime_api.h>

namespace tridia::gpu {

inline constexpr int block_threads = 128;

/// Return this thread's index in the grid, and the number of threads, for grid-stride loops.
__device__ inline index_t thread_index() {
  return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline index_t thread_count() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

/// Returns the number of blocks for `concurrent_systems` threads, a multiple of block_threads.
inline unsigned blocks_of(index_t concurrent_systems) {
  return static_cast<unsigned>(concurrent_systems / block_threads);
}

/// Lets blocks of a kernel have `bytes` of shared memory.
template <class... Parameters>
cudaError_t allow_shared(void (*kernel)(Parameters...), std::size_t bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

/// Holds the launch configuration of clusters of `together` blocks, or of single blocks if that is
/// 1.
class cluster_launch {
 public:
  cluster_launch(index_t blocks, int together, int threads, std::size_t shared_bytes,
                 cudaStream_t stream) {
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim = {static_cast<unsigned>(together), 1, 1};
    config_.gridDim = static_cast<unsigned>((blocks + together - 1) / together * together);
    config_.blockDim = static_cast<unsigned>(threads);
    config_.dynamicSmemBytes = shared_bytes;
    config_.stream = stream;
    config_.attrs = &cluster_;
    config_.numAttrs = together > 1 ? 1 : 0;
  }
  cluster_launch(const cluster_launch&) = delete;
  cluster_launch& operator=(const cluster_launch&) = delete;
  [[nodiscard]] const cudaLaunchConfig_t& config() const { return config_; }

 private:
  cudaLaunchAttribute cluster_{};
  cudaLaunchConfig_t config_{};
};

/// Launches at least `blocks` blocks, `together` of them a cluster, or each by itself if that is 1.
template <class... Parameters, class... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), index_t blocks, int together,
                            int threads, std::size_t shared_bytes, cudaStream_t stream,
                            const Arguments&... arguments) {
  const cluster_launch launch(blocks, together, threads, shared_bytes, stream);
  return cudaLaunchKernelEx(&launch.config(), kernel, arguments...);
}

/// Launches a kernel, which begins before the launch before it has ended if `early` is set, and
/// waits for that itself (dependent_launch.cuh).
template <class... Parameters, class... Arguments>
cudaError_t launch_dependent(void (*kernel)(Parameters...), bool early, const dim3& blocks,
                             int threads, std::size_t shared_bytes, cudaStream_t stream,
                             const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Finds how many clusters of `together` blocks the device holds at a time.
template <class... Parameters>
cudaError_t most_clusters(void (*kernel)(Parameters...), int together, int threads,
                          std::size_t shared_bytes, int* clusters) {
  const cluster_launch launch(together, together, threads, shared_bytes, nullptr);
  return cudaOccupancyMaxActiveClusters(clusters, kernel, &launch.config());
}

}  // namespace tridia::gpu
