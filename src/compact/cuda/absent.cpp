// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// What a build without CUDA has instead of the files beside this one.
#include "compact/executor.hpp"
#include "gpu/absent.hpp"

namespace tridia::compact {

std::unique_ptr<const executor> make_cuda(const task&) { cuda::refuse_without_cuda(); }

}  // namespace tridia::compact
