// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "derive.hpp"

#include <map>
#include <optional>
#include <string>

namespace tridia_bench {

/// Describes SciPy on one core, run by share/tridia/derive_scipy.py in a Python that has it.
struct scipy_peer {
  std::string command;                          // Python and the script, for a shell
  std::map<std::string, std::string> versions;  // SciPy's and NumPy's
};

/// Returns SciPy, or nothing if no Python has it.
std::optional<scipy_peer> find_scipy();

/// Times one of its solvers, as the script names them, on a C6 first derivative.
void run_scipy(benchmark::State& state, row& r, const scipy_peer& scipy, const std::string& solver,
               const derive_case& c);

}  // namespace tridia_bench
