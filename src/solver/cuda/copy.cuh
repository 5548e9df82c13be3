// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_pipeline.h>

namespace tridia::cuda {

/// Starts the copy of an element to shared memory; its parts may be aligned as parts only.
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
