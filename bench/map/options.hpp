// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cells.hpp"

#include "tridia/tuning.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia_bench {

/// Holds what the command line of `tridia bench map` says.
struct map_options {
  bool cuda = false;
  std::vector<tridia::value_type> types{tridia::value_type::f64, tridia::value_type::f32};
  cell_choice cells{};
  std::string json, plot, remark;  ///< Empty: none.
  std::shared_ptr<const tridia::tuning_table> tuning{};
  /// These are `time_limits::call_ms` and `setup_ms`; 0: those of the device.
  double limit_ms = 0, setup_limit_ms = 0;
  bool list = false, help = false;
};

extern const char* const map_help;

/// Reads the arguments after `map`. Throws where one of them is wrong.
map_options parse_map_options(int argc, char** argv);

}  // namespace tridia_bench
