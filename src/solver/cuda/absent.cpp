// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file replaces the others of this folder in a build without CUDA.
#include "gpu/absent.hpp"
#include "solver/backward/products.hpp"
#include "solver/executor.hpp"
#include "solver/one_call.hpp"

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task&) { gpu::refuse_without_cuda(); }

std::unique_ptr<const products> make_cuda_products(const product_task&) {
  gpu::refuse_without_cuda();
}

void cuda_execute_and_wait(const plan&, const void*, const void*, const void*, const void*, void*,
                           std::span<index_t>, void*) {
  gpu::refuse_without_cuda();
}

}  // namespace tridia::solver
