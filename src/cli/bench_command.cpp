// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
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

/// Becomes a program that lies beside this one. Benchmarks need libraries that nothing else does
/// (their peers', Google Benchmark, MPI), so they are programs of their own. `where`: what else it
/// takes to have it.
int become(const char* command, const char* name, char* const* arguments, const char* where = "") {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = here.parent_path() / name;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  while (*arguments != nullptr) argv.push_back(*arguments++);
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const int reason = errno;
  throw bad_input(command, fmt::format("{}: {}; the benchmark is built with "
                                       "-DTRIDIA_BUILD_BENCHMARKS=ON{} and lies beside tridia",
                                       program, std::strerror(reason), where));
}

}  // namespace

int bench_command(char* const* arguments) {
  if (*arguments == nullptr || std::string_view(*arguments) != "scaling") {
    return become("bench", "tridia_bench", arguments);
  }
  return become("bench", "tridia_bench_scaling", arguments + 1, ", where MPI is found,");
}

int reproduce_command(char* const* arguments) {
  return become("reproduce", "tridia_reproduce", arguments);
}

}  // namespace tridia::cli
