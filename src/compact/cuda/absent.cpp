// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// A build without CUDA has this file instead of the others in this folder.
#include "gpu/absent.hpp"
#include "compact/operator_executor.hpp"

namespace tridia::compact {

std::unique_ptr<const operator_executor> make_cuda(const task&) { gpu::refuse_without_cuda(); }
std::unique_ptr<const operator_executor> make_cuda_adjoint(const task&) {
  gpu::refuse_without_cuda();
}

}  // namespace tridia::compact
