// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tridia_bench {

/// Says what a copy is measured with.
struct copy_options {
  /// This many arrays are read; one is written. 4 is like a solve with its own coefficients, 1 a
  /// plain copy.
  int reads = 4;
  int threads = 1;
  std::size_t array_bytes = 0;  ///< For each array; 0 means `default_array_bytes()`.
  int repetitions = 15;
};

/// Holds the result of one kernel that copies.
struct copy_rate {
  std::string kernel;
  std::size_t bytes = 0;   ///< Moved by one pass: every array once.
  std::vector<double> ms;  ///< One value per repetition, sorted.
  [[nodiscard]] double median_ms() const { return ms[ms.size() / 2]; }
  [[nodiscard]] double bytes_per_ms() const { return static_cast<double>(bytes) / median_ms(); }
};

/// Returns the size of the last-level cache, but at least 64 MiB: five such arrays do not fit any
/// cache.
std::size_t default_array_bytes();

/// Measures every copy kernel that this processor can run, and returns the fastest first (by its
/// median, as the solvers are measured). The kernels have ordinary and nontemporal stores, several
/// widths, with and without prefetch: no solver shall look better than it is because the copy
/// beside it was a slow one.
std::vector<copy_rate> measure_copies(const copy_options& options);

}  // namespace tridia_bench
