// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

namespace tridia::gpu {

/// Finds the compute capability that the current device's kernels were compiled for: there may only
/// be code for an older one (90 is 9.0).
cudaError_t compiled_capability(int* capability);

}  // namespace tridia::gpu
