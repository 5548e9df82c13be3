// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/wait_limits.hpp"

#include <cuda/atomic>

namespace tridia::gpu {

/// Is a word that several GPUs, or a GPU and the host, read and write.
using shared_word = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_system>;

__device__ inline unsigned long long nanoseconds_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

/// Returns whether kernels give up: the host's word is read seldom, as it is far away.
__device__ inline bool gives_up(const wait_limits& w, unsigned tries, unsigned long long began) {
  if (tries % 64 != 0) return false;
  const shared_word failed(*w.failed);
  if (failed.load(::cuda::memory_order_relaxed) != 0) return true;
  const bool late = w.nanoseconds > 0 && nanoseconds_now() - began > w.nanoseconds;
  const shared_word on_host(*w.on_host);
  const bool told = tries % 16384 == 0 && on_host.load(::cuda::memory_order_relaxed) != waiting;
  if (!late && !told) return false;
  failed.store(1, ::cuda::memory_order_relaxed);
  if (late) on_host.store(late_on_device, ::cuda::memory_order_relaxed);
  return true;
}

/// Waits until a counter that another rank writes has a value; returns false if it gives up. Few
/// blocks may wait at a time, so that all that other ranks wait for finds room beside them.
__device__ inline bool comes(const unsigned* counter, unsigned value, const wait_limits& w) {
  const shared_word heard(*const_cast<unsigned*>(counter));
  if (heard.load(::cuda::memory_order_acquire) == value) return true;
  const unsigned long long began = nanoseconds_now();
  for (unsigned tries = 1; heard.load(::cuda::memory_order_acquire) != value; ++tries) {
    if (gives_up(w, tries, began)) return false;
  }
  return true;
}

}  // namespace tridia::gpu
