// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "suite.hpp"

#include <map>
#include <string>

namespace tridia_bench {

/// What a results file says about where it was made. Empty: null.
struct machine_info {
  std::string device, driver, cuda, clock, memory_clock, simd;
  int cores = 0;         ///< Of the CPU, or multiprocessors.
  long cache_bytes = 0;  ///< The last level's.
};

/// Of the processor that this program runs on.
machine_info cpu_machine();

/// Writes the results to a temporary file beside `path` and renames it. Throws.
void write_json(const std::string& path, const suite& s, const machine_info& machine,
                const std::map<std::string, std::string>& versions, const std::string& command);

}  // namespace tridia_bench
