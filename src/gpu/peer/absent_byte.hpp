// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Is the byte that words consist of before they arrive (words.cuh).
inline constexpr int absent_byte = 0xff;

}  // namespace tridia::gpu
