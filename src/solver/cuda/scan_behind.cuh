// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/kernels.hpp"
#include "solver/cuda/launch.cuh"

namespace tridia::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// The launch behind this one, if it was asked to, may begin once all blocks have said so and there
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

/// By every thread of a substitution: whether the scan behind it solves.
__device__ __forceinline__ bool leaves_to(const scan_behind& scan) {
  if (scan.sound == nullptr) return false;
  let_next_begin();
  if (*scan.sound == 0) return false;
  if (scan.tickets != nullptr && thread_index() == 0) *scan.tickets = 0;
  return true;
}

}  // namespace tridia::cuda
