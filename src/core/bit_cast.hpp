// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"

namespace tridia::core {

/// Returns the bits of a as a To. std::bit_cast is a function of the host alone where a user
/// compiles kernels without nvcc's --expt-relaxed-constexpr.
template <class To, class From>
TRIDIA_FN To bit_cast(const From& a) {
  return __builtin_bit_cast(To, a);
}

}  // namespace tridia::core
