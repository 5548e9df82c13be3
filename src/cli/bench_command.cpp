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

// The benchmarks need libraries that nothing else does (their peers', Google Benchmark, MPI), so
// they are programs of their own, beside this one.
int bench_command(char* const* arguments) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe");
  const bool scaling = *arguments != nullptr && std::string_view(*arguments) == "scaling";
  if (scaling) ++arguments;
  const std::string program =
      here.parent_path() / (scaling ? "tridia_bench_scaling" : "tridia_bench");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  while (*arguments != nullptr) argv.push_back(*arguments++);
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const int reason = errno;
  throw bad_input(
      "bench", fmt::format("{}: {}; the benchmark is built with "
                           "-DTRIDIA_BUILD_BENCHMARKS=ON{} and lies beside tridia",
                           program, std::strerror(reason), scaling ? ", where MPI is found," : ""));
}

}  // namespace tridia::cli
