// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/tuning.hpp"

#include <memory>
#include <string>

namespace tridia_bench {

/// Returns the command line as results name it: without the folder of the program.
std::string command_of(int argc, char** argv);

/// Reads what `tridia tune` wrote. Throws if the file cannot be read.
std::shared_ptr<const tridia::tuning_table> read_tuning(const std::string& path);

}  // namespace tridia_bench
