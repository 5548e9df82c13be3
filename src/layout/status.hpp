// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "tridia/types.hpp"

namespace tridia::layout {

/// Returns the status of a system one of whose right-hand sides has `status`, and others `now`
/// together: that of the matrix, or the first row that is not finite.
TRIDIA_FN index_t merged(index_t now, index_t status) {
  const bool stays = now > 0 || status == 0 || (now < 0 && now >= status);
  return stays ? now : status;
}

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
    const index_t next = merged(static_cast<index_t>(seen), status);
    if (next == static_cast<index_t>(seen)) return;
    old = atomicCAS(word, seen, static_cast<unsigned long long>(next));
  } while (old != seen);
#else
  index_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
  index_t next;
  do {
    next = merged(now, status);
    if (next == now) return;
  } while (!__atomic_compare_exchange_n(at, &now, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
}

}  // namespace tridia::layout
