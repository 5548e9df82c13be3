// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace tridia::gpu {

/// Returns a function of the driver, so that the library need not be linked with it; null if the
/// driver has no such function.
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  constexpr unsigned since = 12000;
  if (cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &result) !=
          cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return reinterpret_cast<Function>(function);
}

}  // namespace tridia::gpu
