// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"

namespace tridia_bench {

/// Adds register-packed CR with stages of radix 4 (A. A. Davidson, J. D. Owens, 2011, figure 8),
/// which the library has in its kernel but does not launch: the same kernel, of `depth` rows per
/// thread. The systems are contiguous, of f32 or f64.
void add_packed_radix_4(suite& s, const systems_spec& spec, int depth);

}  // namespace tridia_bench
