// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "suite.hpp"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>

namespace tridia_bench {

/// Holds what a results file says about where it was made. An empty field is written as null.
struct machine_info {
  std::string device, driver, cuda, clock, memory_clock, simd;
  int cores = 0;         ///< Those of the CPU, or multiprocessors.
  long cache_bytes = 0;  ///< The last level's.
};

/// Describes the processor that this program runs on.
machine_info cpu_machine();

/// Returns what a results file begins with; its rows follow. An empty remark is left out.
nlohmann::ordered_json results_head(const machine_info& machine,
                                    const std::map<std::string, std::string>& versions,
                                    const std::string& command, const std::string& remark);

/// Returns a row with the fields that every benchmark writes.
nlohmann::ordered_json to_json(const row& r, std::optional<double> floor_ms);

/// Writes the results to a temporary file beside `path` and renames it. Throws.
void write_json(const std::string& path, const nlohmann::ordered_json& results);
/// Does the same with all that a suite has measured.
void write_json(const std::string& path, const suite& s, const machine_info& machine,
                const std::map<std::string, std::string>& versions, const std::string& command);

}  // namespace tridia_bench
