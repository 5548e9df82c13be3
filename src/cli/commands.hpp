// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::cli {

/// The options of `tridia solve`, as they are written.
struct solve_arguments {
  std::string dl, d, du, rhs, out;
  int axis = -1;
  bool periodic = false, transpose = false, conjugate_transpose = false;
  std::string pivoting = "partial", device = "cpu", algorithm = "automatic";
  int threads = 0;
  std::string memory;  ///< Empty: half of what is available.
  bool json = false, quiet = false;
};

/// Both return the exit code, and throw `failure` or `tridia::error`.
int solve_command(const solve_arguments& arguments);
int info_command(bool json);

/// Becomes the benchmark, with these arguments, the last one null. Throws if it is not there.
int bench_command(char* const* arguments);

}  // namespace tridia::cli
