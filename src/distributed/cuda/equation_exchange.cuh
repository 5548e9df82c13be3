// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_merge.hpp"
#include "distributed/cuda/fused_kernels.hpp"
#include "gpu/peer/waiting.cuh"
#include "gpu/peer/words.cuh"

#include <cstring>

namespace tridia::distributed {

using gpu::gives_up;
using gpu::nanoseconds_now;
using gpu::sent_words;

/// Sends and receives equations of lines in one execution.
template <class V, pivoting P>
class equation_exchange {
 public:
  using merge = core::chunk_merge<V, P>;
  using equations = typename merge::equations;
  using unknowns = typename merge::unknowns;
  static constexpr int values = core::value_count<equations, V>;

  __device__ __forceinline__ equation_exchange(const equation_slots& s, index_t lines,
                                               unsigned long long ended)
      : s_(s), lines_(lines), second_(ended & 1) {}

  /// Shows a line's equations to all other ranks.
  __device__ __forceinline__ void send(const equations& mine, index_t line) const {
    V all[values];
    memcpy(static_cast<void*>(all), &mine, sizeof mine);
    for (int r = 0; r < s_.ranks; ++r) {
      if (r == s_.here) continue;
      V* const to = first_of(s_.to[r]) + line;
#pragma unroll
      for (int k = 0; k < values; ++k) sent_words<V>::send(to + k * lines_, all[k]);
    }
  }

  /// Returns the interface unknowns of this rank's rows of a line, once all others have sent
  /// theirs. They are NaN if the wait is given up.
  __device__ __forceinline__ unknowns close(const equations& mine, index_t line) const {
    typename merge::merge_record with_left, with_right, between;
    equations left{}, right{};
    bool came = true;
    for (int r = 0; r < s_.here && came; ++r) {
      equations e;
      came = receive(r, line, e);
      left = r == 0 ? e : merge::merge(left, e, between);
    }
    for (int r = s_.here + 1; r < s_.ranks && came; ++r) {
      equations e;
      came = receive(r, line, e);
      right = r == s_.here + 1 ? e : merge::merge(right, e, between);
    }
    const bool has_left = s_.here > 0, has_right = s_.here + 1 < s_.ranks;
    equations all = mine;
    if (has_left) all = merge::merge(left, all, with_left);
    if (has_right) all = merge::merge(all, right, with_right);
    unknowns here = s_.periodic ? merge::template close<boundary::periodic>(all)
                                : merge::template close<boundary::regular>(all),
             other;
    if (has_right) merge::split(with_right, unknowns(here), here, other);
    if (has_left) merge::split(with_left, unknowns(here), other, here);
    if (came) return here;
    return here.map([](const V&) { return core::not_a_number<V>(); });
  }

  /// Makes room for what other ranks send of a line in the execution after the next.
  __device__ __forceinline__ void clear(index_t line) const {
    for (int r = 0; r < s_.ranks; ++r) {
      if (r == s_.here) continue;
      V* const from = first_of(s_.from[r]) + line;
#pragma unroll
      for (int k = 0; k < values; ++k) sent_words<V>::clear(from + k * lines_);
    }
  }

 private:
  __device__ __forceinline__ V* first_of(const equation_slots::place& p) const {
    return reinterpret_cast<V*>(p.at + (second_ ? p.jump : 0));
  }
  /// Waits for the equations of another rank; returns false if that is given up.
  __device__ __forceinline__ bool receive(int r, index_t line, equations& e) const {
    const V* const from = first_of(s_.from[r]) + line;
    V all[values];
    const unsigned long long began = nanoseconds_now();
    for (unsigned tries = 1; !have_come(from, all); ++tries) {
      if (gives_up(s_.limits, tries, began)) return false;
    }
    memcpy(static_cast<void*>(&e), all, sizeof e);
    return true;
  }
  /// Reads all words at the same time; returns whether they are there.
  __device__ __forceinline__ bool have_come(const V* from, V (&all)[values]) const {
    bool there = true;
#pragma unroll
    for (int k = 0; k < values; ++k) all[k] = sent_words<V>::receive(from + k * lines_, there);
    return there;
  }

  const equation_slots& s_;
  index_t lines_;
  bool second_;
};

}  // namespace tridia::distributed
