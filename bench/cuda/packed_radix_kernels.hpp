// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/named/packed_cr.hpp"

namespace tridia_bench {

/// Returns the launches of register-packed CR with stages of radix 4, for f32 or f64.
tridia::cuda::packed_launches packed_radix_4_kernels(tridia::value_type type);

}  // namespace tridia_bench
