// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/forward_reduction.hpp"
#include "tridia/types.hpp"

namespace tridia_test {

using tridia::index_t;

/// Defines the operation of a forward reduction that is a prefix sum.
struct prefix_sum {
  using element = index_t;
  using solution = index_t;
  static constexpr bool looks_right = false;

  TRIDIA_FN index_t combine(index_t left, index_t here, bool, index_t) const { return left + here; }
  TRIDIA_FN index_t skip_left(index_t left, index_t here) const { return left + here; }
  TRIDIA_FN index_t expand(index_t here, index_t left, index_t) const { return left + here; }
  TRIDIA_FN index_t outside() const { return 0; }
  TRIDIA_FN index_t nothing() const { return 0; }
};

/// Holds numbers that a team shares.
struct shared_numbers {
  index_t* base;
  TRIDIA_FN index_t get(int k) const { return base[k]; }
  TRIDIA_FN void put(int k, index_t v) const { base[k] = v; }
  TRIDIA_FN index_t solution(int k) const { return base[k]; }
  TRIDIA_FN void solve(int k, index_t v) const { base[k] = v; }
};

inline constexpr int kPackingDepths[] = {2, 4, 8, 16, 32};

#if defined(TRIDIA_TEST_CUDA)
/// Computes the prefix sum in place, of `n` numbers in memory of the device, by one block with
/// `depth` numbers per thread and at most 1024 threads. Returns CUDA's error code, 0 on success.
int device_prefix_sum(int depth, int n, index_t* numbers);
#endif

}  // namespace tridia_test
