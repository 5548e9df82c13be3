// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <algorithm>

// The papers' algorithms take these parameters where neither the caller nor a tuning table has
// others. They are those of a GPU, where they were measured; the reference backend has them too.
namespace tridia::solver {

/// Returns the number of rows that CR leaves to PCR: the best of 512 to 4096 rows on an H200.
constexpr index_t default_cr_pcr_switch_point(index_t rows) {
  return std::clamp<index_t>(rows / 4, 64, 256);
}

/// PCR leaves systems of this many rows to Thomas: on an H200, at 1024 rows, that takes 2 to 4 %
/// less time than 16, and at most as much as any other (f32 and f64).
inline constexpr int default_thomas_switch_point = 32;

/// A thread can hold so many rows in registers.
inline constexpr int packing_depths[] = {2, 4, 8, 16, 32};

/// This depth is the paper's choice (Davidson and Owens 2011), and on an H200 still the best, from
/// 512 to 4096 rows.
inline constexpr int default_packing_depth = 8;

}  // namespace tridia::solver
