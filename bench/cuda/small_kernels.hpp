// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

namespace tridia_bench {

/// Launches a kernel that does nothing.
cudaError_t launch_empty(cudaStream_t stream);
/// Launches an empty kernel with 1 KiB of parameters, as a solver's description may have.
cudaError_t launch_empty_with_parameters(cudaStream_t stream);
/// Keeps the stream busy for some 50 microseconds, and leaves the caches as they are.
cudaError_t launch_delay(cudaStream_t stream);

}  // namespace tridia_bench
