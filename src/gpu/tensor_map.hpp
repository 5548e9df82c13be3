// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tensor_layout.hpp"

#include <cuda.h>

namespace tridia::gpu {

/// This is the number of a map's words in one element of V: 16 bytes are two.
template <class V>
inline constexpr int tensor_words = sizeof(V) == 16 ? 2 : 1;

/// Describes an array to the TMA of compute capability 9.0. Returns false where the driver has no
/// tensor maps.
bool encode(const tensor_layout&, CUtensorMap&);

}  // namespace tridia::gpu
