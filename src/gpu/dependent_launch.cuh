// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A launch may begin before the previous one has ended (programmatic dependent launch, compute
// capability 9.0).
namespace tridia::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Allows the next launch to begin, if it was launched so, once all blocks have called this and
/// there is room.
__device__ __forceinline__ void let_next_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// Waits, if this launch began early, until the previous launch is done and what it wrote is
/// visible.
__device__ __forceinline__ void wait_for_launch_before() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
__device__ __forceinline__ void let_next_begin() {}
__device__ __forceinline__ void wait_for_launch_before() {}
#endif
/// Begins a kernel of a chain of launches that each may begin before the one before has ended:
/// waits for that one, and then lets the blocks of the next one come, to wait as well.
__device__ __forceinline__ void begin_in_chain() {
  wait_for_launch_before();
  let_next_begin();
}

}  // namespace tridia::gpu
