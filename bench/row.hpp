// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tridia_bench {

/// A case throws this if it cannot run here, though nothing is wrong: its method does not take
/// systems of its length, or a peer needs more memory than there is. The row says why, as its note.
class left_out : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Holds one measured line of the results. A field without a value is null in the JSON.
struct row {
  std::string case_name;                 ///< The matrices and what is special about the case.
  std::string solver;                    ///< "tridia cpu", "LAPACKE gtsv", "copy", …
  std::optional<std::string> parameter;  ///< What a named algorithm was told.
  std::optional<std::string> type;
  std::optional<std::int64_t> n, batch;
  std::optional<std::string> layout, boundary, pivoting;
  std::optional<int> threads;
  std::vector<double> ms;  ///< One value per repetition.
  int most_repetitions = 1;
  double most_seconds = 0;  ///< For all repetitions; 0: no limit.
  std::optional<double> residual;
  std::optional<std::size_t> workspace_bytes;
  std::optional<std::string> note;   ///< The algorithm that was chosen, the fastest copy, …
  std::optional<std::string> error;  ///< Why the row must not be used.

  /// These are the fewest bytes that the case must move, and the number of arrays that it reads for
  /// each that it writes: 4 or 1. 0 means that no floor applies.
  std::size_t floor_bytes = 0;
  int floor_reads = 4;

  [[nodiscard]] double median_ms() const;
  [[nodiscard]] double min_ms() const;
};

/// Holds the best copy rates of this run, by arrays read and threads; a device has 0 threads.
class copy_floors {
 public:
  /// Keeps the better one if there is one already.
  void add(int reads, int threads, double bytes_per_ms);
  /// Returns the milliseconds that moving the case's bytes takes at the best rate, if both are
  /// known.
  [[nodiscard]] std::optional<double> ms_of(const row& r) const;

 private:
  struct entry {
    int reads, threads;
    double bytes_per_ms;
  };
  std::vector<entry> entries_;
};

}  // namespace tridia_bench
