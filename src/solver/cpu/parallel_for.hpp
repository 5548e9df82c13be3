// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <omp.h>

#include <algorithm>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tridia::cpu {

/// Says how calls are divided among threads: evenly beforehand, or one by one, for calls that take
/// different times.
enum class sharing { even, dynamic };

/// Calls f(i, thread) for i from 0 to count - 1, by up to `threads` threads.
template <class F>
void parallel_for(int threads, index_t count, F f, sharing how = sharing::even) {
  const int used = static_cast<int>(std::min<index_t>(threads, count));
  if (used <= 1) {
    for (index_t i = 0; i < count; ++i) f(i, 0);
#if defined(__x86_64__)
    // Stores past the cache must be ordered before later signals to other threads, as the barrier
    // of several threads orders them.
    _mm_sfence();
#endif
  } else if (how == sharing::even) {
#pragma omp parallel for num_threads(used) schedule(static)
    for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
  } else {
#pragma omp parallel for num_threads(used) schedule(dynamic)
    for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
  }
}

}  // namespace tridia::cpu
