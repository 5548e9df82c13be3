// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

// The lanes of a warp do these operations together.
namespace tridia::gpu {

inline constexpr unsigned whole_warp = 0xffffffffu;

/// Returns the value of v in lane `lane`. Called by all lanes of the warp.
__device__ __forceinline__ float shuffle(float v, int lane) {
  return __shfl_sync(whole_warp, v, lane);
}
__device__ __forceinline__ double shuffle(double v, int lane) {
  return __shfl_sync(whole_warp, v, lane);
}
template <class R>
__device__ __forceinline__ core::complex<R> shuffle(const core::complex<R>& v, int lane) {
  return {shuffle(v.re, lane), shuffle(v.im, lane)};
}
template <class T>
__device__ __forceinline__ T shuffle(const T& v, int lane) {
  return v.map([lane](const auto& part) { return shuffle(part, lane); });
}

/// Returns the value of v in the lane whose number differs in the bits of `mask`. Called by all
/// lanes of the warp.
__device__ __forceinline__ float shuffle_xor(float v, int mask) {
  return __shfl_xor_sync(whole_warp, v, mask);
}
__device__ __forceinline__ double shuffle_xor(double v, int mask) {
  return __shfl_xor_sync(whole_warp, v, mask);
}
template <class R>
__device__ __forceinline__ core::complex<R> shuffle_xor(const core::complex<R>& v, int mask) {
  return {shuffle_xor(v.re, mask), shuffle_xor(v.im, mask)};
}

}  // namespace tridia::gpu
