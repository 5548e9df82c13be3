// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file replaces c_api/cuda in a build without CUDA.
#include "gpu/absent.hpp"
#include "c_api/drop_in/current_device.hpp"

namespace tridia::c_api {

int current_device() { gpu::refuse_without_cuda(); }

}  // namespace tridia::c_api
