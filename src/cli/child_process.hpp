// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tridia::cli {

/// A child's exit code is this if there is no such program; neither Python nor a loader returns it.
inline constexpr int no_program = 125;

/// Holds what a child process has said.
struct child_result {
  int code;            ///< Its exit code; a signal is a failure like any other.
  std::string output;  ///< Its standard output.
};

/// Runs a program, found on the PATH, to its end, with `input` as its standard input. Where `all`
/// is true its standard error is part of the output. Throws `failure` about `argument` if no
/// process can be started.
child_result run_child(const std::vector<std::string>& arguments, const std::string& input,
                       const char* argument, bool all = false);

}  // namespace tridia::cli
