// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"

#include <cuda/atomic>

#include <cstring>
#include <type_traits>

// Numbers that blocks and GPUs store into memory where others wait for them, each part of a complex
// number by itself: every word says by itself whether it is there, so that no fence, counter or
// flag is needed. Before it arrives, all its bits are ones.
namespace tridia::gpu {

/// Sends and receives numbers between threads of a scope.
template <class V, ::cuda::thread_scope Scope = ::cuda::thread_scope_system>
class sent_words {
  using real = typename core::value_traits<V>::real;
  using bits = std::conditional_t<sizeof(real) == 4, unsigned, unsigned long long>;
  static constexpr bits absent = ~bits{0};
  static constexpr int count = static_cast<int>(sizeof(V) / sizeof(real));
  using word = ::cuda::atomic_ref<bits, Scope>;

 public:
  static __device__ __forceinline__ void send(V* to, const V& v) {
    bits all[count];
    memcpy(all, &v, sizeof v);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      // Another NaN.
      if (all[k] == absent) all[k] >>= 1;
      at(to, k).store(all[k], ::cuda::memory_order_relaxed);
    }
  }
  /// Returns what is there, and sets `all` to false if some of it is not.
  static __device__ __forceinline__ V receive(const V* from, bool& all) {
    bits found[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      found[k] = at(const_cast<V*>(from), k).load(::cuda::memory_order_relaxed);
    }
#pragma unroll
    for (int k = 0; k < count; ++k) all = all && found[k] != absent;
    V v;
    memcpy(&v, found, sizeof v);
    return v;
  }
  /// Returns what is there, without waiting for it: `is_there` says later whether that is all of
  /// the number.
  static __device__ __forceinline__ V look(const V* from) {
    bool all = true;
    return receive(from, all);
  }
  static __device__ __forceinline__ bool is_there(const V& v) {
    bits all[count];
    memcpy(all, &v, sizeof v);
    bool there = true;
#pragma unroll
    for (int k = 0; k < count; ++k) there = there && all[k] != absent;
    return there;
  }
  static __device__ __forceinline__ void clear(V* v) {
#pragma unroll
    for (int k = 0; k < count; ++k) at(v, k).store(absent, ::cuda::memory_order_relaxed);
  }

 private:
  static __device__ __forceinline__ word at(V* v, int k) {
    return word(reinterpret_cast<bits*>(v)[k]);
  }
};

}  // namespace tridia::gpu
