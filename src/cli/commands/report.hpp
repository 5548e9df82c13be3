// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "failure.hpp"
#include "systems/systems.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tridia::cli {

/// Holds the results of `tridia solve`.
struct solve_report {
  systems problem;
  std::string device, algorithm, reason, out;
  int threads = 1;
  index_t slabs = 0;
  std::uint64_t workspace_bytes = 0;
  double solve_seconds = 0, total_seconds = 0;
  double residual = 0;
  index_t failed_systems = 0;
  index_t first_failed = -1;  ///< C order over the batch axes.
  index_t first_status = 0;   ///< See tridia::execution::status.
};

/// Returns the meaning of a status: "the pivot of row 3 is exactly zero".
std::string status_meaning(index_t status);

nlohmann::ordered_json to_json(const solve_report& report);
/// Formats the report as a few lines for people.
std::string to_text(const solve_report& report);
/// Formats "3 of 8 systems have no solution: …"; there must be at least one such system.
std::string failed_text(const solve_report& report);

/// Returns {"error": {…}}.
nlohmann::ordered_json to_json(const failure& f);

/// Writes to stdout.
void print_json(const nlohmann::ordered_json& json);

}  // namespace tridia::cli
