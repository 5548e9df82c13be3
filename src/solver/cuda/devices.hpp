// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/info.hpp"

namespace tridia::cuda {

/// Fills in what is known of CUDA; leaves everything as it is in a build without it.
void describe(system_info&);

}  // namespace tridia::cuda
