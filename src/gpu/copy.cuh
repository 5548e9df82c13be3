// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

#include <cuda_pipeline.h>

// These functions copy elements asynchronously from device to shared memory.
namespace tridia::gpu {

/// Copies 4, 8 or 16 bytes, and fetches 256 around them into the second-level cache: neighbouring
/// blocks load these next where a block's rows are shorter (PTX ISA, cp.async; from compute
/// capability 8.0 on).
template <class V>
__device__ __forceinline__ void copy_word(V* to, const V* from) {
  static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);
  asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(V))
               : "memory");
}

/// Copies an element; a complex one may be aligned as its parts only.
template <class V>
__device__ __forceinline__ void copy_element(V* to, const V* from) {
  if constexpr (alignof(V) == sizeof(V)) {
    copy_word(to, from);
  } else {
    copy_word(&to->re, &from->re);
    copy_word(&to->im, &from->im);
  }
}

/// Copies `count` elements, both from a multiple of 16 bytes on. Called by threads 0 to `threads` -
/// 1.
template <class V>
__device__ __forceinline__ void copy_array(V* to, const V* from, int count, int thread,
                                           int threads) {
  constexpr int in_piece = 16 / static_cast<int>(sizeof(V));
  const int pieces = count / in_piece;
  for (int i = thread; i < pieces; i += threads) {
    copy_word(reinterpret_cast<int4*>(to) + i, reinterpret_cast<const int4*>(from) + i);
  }
  for (int i = pieces * in_piece + thread; i < count; i += threads) copy_element(to + i, from + i);
}

/// Ends a group of this thread's copies, and waits for all but the last group.
__device__ __forceinline__ void end_copies() { __pipeline_commit(); }
__device__ __forceinline__ void wait_for_earlier_copies() { __pipeline_wait_prior(1); }

/// Waits for this thread's copies.
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace tridia::gpu
