// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tridia::device::detail {

/// Launches blocks with dynamic shared memory, as much as the device has; `together` of them are a
/// cluster, if that is not 1.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::int64_t blocks, int together, int threads,
                   std::size_t shared_bytes, cudaStream_t stream, const Arguments&... arguments) {
  if (blocks > std::numeric_limits<int>::max()) return cudaErrorInvalidConfiguration;
  const cudaError_t allowed = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  if (allowed != cudaSuccess) return allowed;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(together), 1, 1};
  config.attrs = &cluster;
  config.numAttrs = together > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

/// What lines need to know of the current device.
struct device_facts {
  int shared_bytes = 0;  // that a block may have
  int capability = 0;    // 90 for 9.0

  cudaError_t find() {
    int device = 0, major = 0, minor = 0;
    cudaError_t result = cudaGetDevice(&device);
    const auto ask = [&](int& value, cudaDeviceAttr what) {
      if (result == cudaSuccess) result = cudaDeviceGetAttribute(&value, what, device);
    };
    ask(shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    ask(major, cudaDevAttrComputeCapabilityMajor);
    ask(minor, cudaDevAttrComputeCapabilityMinor);
    capability = 10 * major + minor;
    return result;
  }
};

}  // namespace tridia::device::detail
