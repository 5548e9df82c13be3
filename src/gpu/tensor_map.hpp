// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tensor_layout.hpp"

#include <cuda.h>

namespace tridia::gpu {

/// Elements of a map that make one of V: 16 bytes are two.
template <class V>
inline constexpr int tensor_words = sizeof(V) == 16 ? 2 : 1;

/// Describes an array to the TMA of compute capability 9.0. Returns false where the driver
/// does not know of tensors.
bool encode(const tensor_layout&, CUtensorMap&);

}  // namespace tridia::gpu
