// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// A build without CUDA has this file instead of the others in this folder.
#include "gpu/absent.hpp"
#include "distributed/backend.hpp"

namespace tridia::distributed {

std::unique_ptr<const backend> make_cuda_backend(int) { gpu::refuse_without_cuda(); }

}  // namespace tridia::distributed
