// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "suite.hpp"

#include <map>
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

/// Writes the results to a temporary file beside `path` and renames it. Throws.
void write_json(const std::string& path, const suite& s, const machine_info& machine,
                const std::map<std::string, std::string>& versions, const std::string& command);

}  // namespace tridia_bench
