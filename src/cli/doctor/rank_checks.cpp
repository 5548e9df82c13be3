// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"
#include "doctor/self_check.hpp"
#include "failure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace tridia::cli {
namespace {

// Ranks that hang are ended after so many seconds, with this exit code of timeout.
constexpr const char* time_limit = "120";
constexpr int timed_out = 124;

/// Lets two ranks start anywhere: as root in a container, and on one core.
void allow_two_ranks() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
    ::setenv(name, "1", 0);
  }
  ::setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
}

/// Returns what the output of ranks ends with: a line of JSON, or a sentence that says what failed.
std::string last_line(const std::string& output, bool json) {
  std::istringstream lines(output);
  std::string last, line;
  while (std::getline(lines, line)) {
    if (line.find_first_not_of(" -\t") == line.npos) continue;
    if (!json || line.starts_with("{\"ranks\"")) last = line;
  }
  return last;
}

std::vector<self_check> parsed(const nlohmann::json& report) {
  std::vector<self_check> checks;
  for (const auto& c : report.at("checks")) {
    checks.push_back({.backend = "mpi",
                      .what = c.at("what"),
                      .lines = c.at("lines"),
                      .seconds = c.at("seconds"),
                      .copy_seconds = c.at("copy_seconds"),
                      .error = c.at("error").is_null() ? HUGE_VAL : c.at("error").get<double>(),
                      .failed = ""});
    judge(checks.back());
  }
  return checks;
}

}  // namespace

std::vector<self_check> check_ranks(const std::string& mpirun, std::size_t array_bytes,
                                    std::string& library) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  self_check failed{.backend = "mpi", .what = "solve"};
  try {
    allow_two_ranks();
    const child_result run =
        run_child({"timeout", time_limit, mpirun, "-n", "2", (here / ranks_program).string(),
                   std::to_string(array_bytes)},
                  "", "doctor", true);
    const std::string answer = last_line(run.output, true);
    if (run.code == 0 && !answer.empty()) {
      const auto report = nlohmann::json::parse(answer);
      library = report.at("library").get<std::string>();
      return parsed(report);
    }
    const std::string how = run.code == timed_out ? fmt::format("took longer than {} s", time_limit)
                                                  : fmt::format("ended with {}", run.code);
    failed.failed = fmt::format("{} {}: {}", mpirun, how, last_line(run.output, false));
  } catch (const std::exception& e) {
    failed.failed = e.what();
  }
  return {failed};
}

}  // namespace tridia::cli
