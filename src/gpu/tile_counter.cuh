// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Draws the next number of a counter in device memory. Not by addition, which is made one for all
/// threads of a warp, and waited for at once.
__device__ __forceinline__ unsigned next_tile(unsigned* counter) {
  unsigned drawn;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;"
               : "=r"(drawn)
               : "l"(counter)
               : "memory");
  return drawn;
}

}  // namespace tridia::gpu
