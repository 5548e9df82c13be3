// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Draws the next number of a counter in device memory. This is no addition, since the compiler
/// makes one addition for all threads of a warp and waits for it at once.
__device__ __forceinline__ unsigned next_tile(unsigned* counter) {
  unsigned drawn;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;"
               : "=r"(drawn)
               : "l"(counter)
               : "memory");
  return drawn;
}

}  // namespace tridia::gpu
