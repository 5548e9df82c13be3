// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Launches that begin before the one in front of them has ended (programmatic dependent launch,
// compute capability 9.0).
namespace tridia::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// The launch after this one, if it was asked to, may begin once all blocks have said so and there
/// is room.
__device__ __forceinline__ void let_next_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// Until the launch before this one, if this one began early, is done and what it wrote is there.
__device__ __forceinline__ void wait_for_launch_before() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
__device__ __forceinline__ void let_next_begin() {}
__device__ __forceinline__ void wait_for_launch_before() {}
#endif

}  // namespace tridia::gpu
