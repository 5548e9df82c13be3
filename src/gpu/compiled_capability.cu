// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/compiled_capability.hpp"

#include "gpu/for_each.cuh"

namespace tridia::gpu {
namespace {

struct nothing {
  __device__ void operator()(index_t, index_t) const {}
};

}  // namespace

cudaError_t compiled_capability(int* capability) {
  cudaFuncAttributes attributes{};
  const cudaError_t result = cudaFuncGetAttributes(&attributes, for_each_kernel<nothing>);
  *capability = attributes.ptxVersion;
  return result;
}

}  // namespace tridia::gpu
