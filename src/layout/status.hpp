// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "tridia/types.hpp"

namespace tridia::layout {

/// Enters a status where the right-hand sides of a system report one after another. The matrix's
/// own status is not changed; among rows that are not finite the first is kept, so that the result
/// does not depend on the order.
TRIDIA_FN void merge_status(index_t* at, index_t of_matrix, index_t status) {
  if (of_matrix != 0) return;
#if defined(__CUDA_ARCH__)
  auto* word = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *word, seen;
  do {
    seen = old;
    const auto now = static_cast<index_t>(seen);
    if (now > 0 || (now < 0 && now >= status)) return;
    old = atomicCAS(word, seen, static_cast<unsigned long long>(status));
  } while (old != seen);
#else
  index_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
  do {
    if (now > 0 || (now < 0 && now >= status)) return;
  } while (
      !__atomic_compare_exchange_n(at, &now, status, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
}

}  // namespace tridia::layout
