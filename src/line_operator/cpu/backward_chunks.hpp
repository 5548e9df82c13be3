// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/vector_block.hpp"

#include <algorithm>
#include <cstdint>

namespace tridia::line_operator::cpu::TRIDIA_ISA {
// Like the sweeps (line_sweeps.hpp), this has internal linkage.
namespace {

/// Calls f(k0, k1) for chunks of all `rows` rows from the last to the first. Where lines are
/// contiguous, they begin where cache lines of the result do, if that is the same in all lines; row
/// k is done together with result k + `later`.
template <class R, class F>
void for_each_chunk_back(const line_group& s, index_t rows, index_t later, F f) {
  constexpr index_t line = 64 / sizeof(R);
  const auto past = [&](int l) {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(s.out) / sizeof(R)) + s.out_at[l] +
           later;
  };
  const bool alike = s.live == 1 || (past(1) - past(0)) % line == 0;
  // What is left over in front is stored by smaller vectors.
  const bool aligned = alike && rows > s.chunk;
  const index_t first = aligned ? (line - past(0) % line) % line : 0;
  for (index_t k1 = rows, k0; k1 > 0; k1 = k0) {
    k0 = k1 > first ? first + (k1 - 1 - first) / s.chunk * s.chunk : 0;
    // A chunk that is shorter than a vector is done together with the next one.
    if (k1 - k0 < width<R> && k0 >= s.chunk) k0 -= s.chunk;
    f(k0, k1);
  }
}
/// Calls f(v0, v1) for the visits of a chunk from the last to the first.
template <class F>
void for_each_visit_back(const line_group& s, index_t k0, index_t k1, F f) {
  for (index_t v1 = k1, v0; v1 > k0; v1 = v0) {
    v0 = std::max(v1 - s.visit, k0);
    f(v0, v1);
  }
}

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
