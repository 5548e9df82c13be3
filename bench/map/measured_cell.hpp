// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arena.hpp"
#include "floors.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tridia_bench {

/// Says how long cells may take.
struct time_limits {
  /// After a call that took longer a cell is not repeated. A cell that would take longer, as
  /// smaller ones say, is not run but estimated.
  double call_ms;
  /// After so long a cell has been repeated often enough, but `least` times at least.
  double cell_ms;
  std::size_t least, most;
  /// A cell whose plan would take longer to make, as those of smaller ones say, is not run.
  double setup_ms;
};

/// Says why a cell was not run: what a smaller one of the same feature and type took.
struct estimate {
  double ms;
  index_t n, batch;  ///< Of the smaller cell.
  double smaller_ms;
};

/// Holds what is known of a cell.
struct measured_cell {
  tridia_bench::cell cell;
  std::vector<double> ms;  ///< Of each repetition; empty: it was not run.
  std::optional<tridia_bench::estimate> estimate{};
  std::optional<double> residual{};
  std::optional<std::size_t> workspace_bytes{};
  double setup_ms = 0;  ///< Making the plan and saving factors.
  std::string algorithm{}, note{}, error{};

  /// Returns the median, or the estimate; nothing where neither is known.
  [[nodiscard]] std::optional<double> median_ms() const;
};

/// Returns what a cell takes at least, from cells of no more and no longer lines: those that took
/// more than a quarter of a call's limit, times the ratio of the lengths of their lines. Nothing
/// where that is within the limit. A work that goes through the rows of a line one after another
/// cannot be faster; any other is not so slow, unless it changes its algorithm in between.
std::optional<estimate> estimate_of(const cell& c, const std::vector<measured_cell>& before,
                                    const time_limits& limits);

/// Returns a cell that is not run, with the estimate or with a note that says why: its plan would
/// take too long to make. Nothing where it is to be run.
std::optional<measured_cell> skipped(const cell& c, const std::vector<measured_cell>& before,
                                     const time_limits& limits);

/// Measures a cell. What goes wrong is its error.
measured_cell measure_cell(arena& a, const cell& c, const tridia::options& options,
                           const time_limits& limits);

/// Returns the row of the results: the fields of every benchmark, and those of the map.
nlohmann::ordered_json to_json(const measured_cell& m, const arena& a, const map_floors& floors);

}  // namespace tridia_bench
