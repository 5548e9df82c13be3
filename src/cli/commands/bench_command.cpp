// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tridia::cli {
namespace {

/// Returns the folder of this program, in a build as well as in an installation.
std::filesystem::path programs() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Replaces this process by another program. Benchmarks need libraries that nothing else does
/// (their peers', Google Benchmark, MPI), so they are separate programs. `where` says what else is
/// needed to have the program.
int become(const char* command, const std::string& program, char* const* arguments,
           const char* where = "") {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  while (*arguments != nullptr) argv.push_back(*arguments++);
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const int reason = errno;
  throw failure(code_of(reason), command,
                fmt::format("{}: {}; the benchmark is built with -DTRIDIA_BUILD_BENCHMARKS=ON{}",
                            program, std::strerror(reason), where));
}

}  // namespace

int bench_command(char* const* arguments) {
  if (*arguments == nullptr || std::string_view(*arguments) != "scaling") {
    return become("bench", programs() / "tridia_bench", arguments);
  }
  return become("bench", programs() / "tridia_bench_scaling", arguments + 1,
                ", where MPI is found,");
}

int reproduce_command(char* const* arguments) {
  const auto scripts = programs().parent_path() / "share" / "tridia" / "reproduce";
  return become("reproduce", scripts / "__main__.py", arguments);
}

}  // namespace tridia::cli
