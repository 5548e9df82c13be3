// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/error.hpp"

#include <string>

#ifdef TRIDIA_PYTHON_CUDA
#include <cuda_runtime_api.h>
#endif

namespace tridia::python {

int current_device() {
#ifdef TRIDIA_PYTHON_CUDA
  int device = 0;
  if (const cudaError_t code = cudaGetDevice(&device); code != cudaSuccess) {
    throw error(errc::device_failure, std::string("cudaGetDevice: ") + cudaGetErrorString(code));
  }
  return device;
#else
  throw error(errc::unsupported, "backend: this build of tridia has no CUDA");
#endif
}

}  // namespace tridia::python
