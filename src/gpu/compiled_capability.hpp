// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

namespace tridia::gpu {

/// The compute capability that the kernels which the current device runs were compiled for: code
/// for an older one may be all there is (90 is 9.0).
cudaError_t compiled_capability(int* capability);

}  // namespace tridia::gpu
