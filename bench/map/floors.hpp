// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arena.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace tridia_bench {

/// Holds the best copies by size, and what every call costs: the floors of all cells.
class map_floors {
 public:
  /// Times copies whose arrays have 64 KiB, 128 KiB, ... up to `largest_array`, and empty calls.
  /// Where this was measured before, the faster one of the two counts.
  void measure(arena& a, std::size_t largest_array);

  /// Returns the time that a copy of so many bytes in all takes, of `reads` arrays for each that is
  /// written; between the sizes that were measured it is interpolated.
  [[nodiscard]] double copy_ms(int reads, std::size_t bytes) const;
  /// Returns the floor: the larger one of the copy and of an empty call.
  [[nodiscard]] double floor_ms(int reads, std::size_t bytes) const;
  /// Returns the fastest empty call: where other programs run as well, most parallel regions wait
  /// for a thread that has no core, and their median would be no floor.
  [[nodiscard]] double empty_ms() const { return empty_.front().ms.front(); }

  /// Says whether empty calls now take far longer than they can: other programs have the cores.
  [[nodiscard]] bool is_disturbed(arena& a) const;

  /// Returns all measurements as rows of the results: copies, then empty calls.
  [[nodiscard]] std::vector<row> rows(const arena& a) const;

 private:
  std::map<int, std::map<std::size_t, copy_rate>> copies_;  // by arrays read and bytes of an array
  std::vector<copy_rate> empty_;                            // one, once it was measured
};

}  // namespace tridia_bench
