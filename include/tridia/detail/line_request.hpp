// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>

// This file refuses what tridia/solve_lines.hpp cannot do, before any work.
namespace tridia::detail {

/// Lines of up to so many rows are solved at once, so that x may overwrite what other rows of its
/// line are made from; what is kept of a group of them still fits a second-level cache.
inline constexpr int most_rows_at_once = 2048;

inline void check_extents(std::span<const int> size) {
  std::int64_t points = 1;
  for (std::size_t a = 0; a < size.size(); ++a) {
    if (size[a] < 0) {
      throw error(errc::invalid_argument, "grid: size[" + std::to_string(a) + "] is " +
                                              std::to_string(size[a]) + "; it must be 0 or more");
    }
    if (size[a] > 0 && points > std::numeric_limits<std::int64_t>::max() / size[a]) {
      throw error(errc::invalid_argument, "grid: it has more points than 2^63 - 1");
    }
    points *= size[a] > 0 ? size[a] : 1;
  }
}

inline void check_options(int threads, std::span<const int> status, std::int64_t lines) {
  if (threads < 0) {
    throw error(errc::invalid_argument,
                "threads: " + std::to_string(threads) + "; it must be 0 or more");
  }
  if (!status.empty() && static_cast<std::int64_t>(status.size()) != lines) {
    throw error(errc::invalid_argument, "status: " + std::to_string(status.size()) +
                                            " entries; the grid has " + std::to_string(lines) +
                                            " lines");
  }
}

[[noreturn]] inline void refuse_singular_lines(std::int64_t first) {
  throw error(errc::singular, "line " + std::to_string(first) +
                                  " (from 0) has no finite solution, and is the first of these; "
                                  "their x is NaN. Give a status to learn which they are");
}

}  // namespace tridia::detail
