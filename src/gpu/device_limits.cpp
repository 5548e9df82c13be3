// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device_limits.hpp"

#include "gpu/check.hpp"
#include "gpu/compiled_capability.hpp"

namespace tridia::gpu {

device_limits current_device_limits() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };
  device_limits d{};
  d.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                 attribute(cudaDevAttrComputeCapabilityMinor);
  d.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  d.threads = index_t{d.multiprocessors} * attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  d.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  int compiled = 0;
  check(compiled_capability(&compiled), "cudaFuncGetAttributes");
  d.clusters = attribute(cudaDevAttrClusterLaunch) != 0 && compiled >= 90;
  if (d.capability == 90) d.cluster_blocks = most_blocks_of_hopper;
  return d;
}

}  // namespace tridia::gpu
