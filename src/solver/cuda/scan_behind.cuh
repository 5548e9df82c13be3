// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "solver/cuda/kernels.hpp"

namespace tridia::cuda {

/// By every thread of a substitution: whether the scan behind it solves.
__device__ __forceinline__ bool leaves_to(const scan_behind& scan) {
  if (scan.sound == nullptr) return false;
  let_next_begin();
  if (*scan.sound == 0) return false;
  if (scan.tickets != nullptr && thread_index() == 0) *scan.tickets = 0;
  return true;
}

}  // namespace tridia::cuda
