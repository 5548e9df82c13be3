// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_pipeline.h>

namespace tridia::cuda {

/// Starts an asynchronous copy of one element to shared memory. Complex ones may be aligned as
/// their parts only.
template <class V>
__device__ __forceinline__ void copy_element(V* to, const V* from) {
  if constexpr (alignof(V) == sizeof(V)) {
    __pipeline_memcpy_async(to, from, sizeof(V));
  } else {
    __pipeline_memcpy_async(&to->re, &from->re, sizeof(from->re));
    __pipeline_memcpy_async(&to->im, &from->im, sizeof(from->im));
  }
}

}  // namespace tridia::cuda
