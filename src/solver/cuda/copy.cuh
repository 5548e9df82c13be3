// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

#include <cuda_pipeline.h>

// Asynchronous copies of elements from device to shared memory.
namespace tridia::cuda {

/// An element, whose parts may be aligned as parts only.
template <class V>
__device__ __forceinline__ void copy_element(V* to, const V* from) {
  if constexpr (alignof(V) == sizeof(V)) {
    __pipeline_memcpy_async(to, from, sizeof(V));
  } else {
    __pipeline_memcpy_async(&to->re, &from->re, sizeof(from->re));
    __pipeline_memcpy_async(&to->im, &from->im, sizeof(from->im));
  }
}

/// For this thread's copies.
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace tridia::cuda
