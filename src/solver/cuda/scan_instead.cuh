// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "solver/cuda/thread_per_system.hpp"

namespace tridia::cuda {

using namespace gpu;

/// Returns whether the scan solves in place of a substitution. Called by every thread of the
/// substitution.
__device__ __forceinline__ bool leaves_to(const scan_instead& scan) {
  if (scan.sound == nullptr) return false;
  let_next_begin();
  if (scan.comes_first) wait_for_launch_before();
  if (*scan.sound == 0) return false;
  if (scan.tile_counter != nullptr && thread_index() == 0) *scan.tile_counter = 0;
  return true;
}

}  // namespace tridia::cuda
