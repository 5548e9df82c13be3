// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/plot.hpp"

#include "child_process.hpp"
#include "failure.hpp"
#include "files/output_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace tridia::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the Python to run: the distribution's comes first, as it has the distribution's
/// matplotlib.
const char* python() { return fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3"; }

/// Returns the path of the script, relative to the executable, in a build as well as in an
/// installation.
fs::path script() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  return here.parent_path() / "share" / "tridia" / "plot_wavenumbers.py";
}

}  // namespace

void plot_wavenumbers(const nlohmann::ordered_json& report, const std::string& path) {
  const std::string program = script().string();
  const auto [code, answer] = run_child({python(), program}, report.dump(), "--plot");
  if (code == no_program) {
    throw bad_input("--plot", "python3 cannot be run, and it draws the plot: install it");
  }
  if (code == exit_bad_input && !answer.empty()) {
    throw bad_input("--plot", answer.substr(0, answer.find('\n')));
  }
  if (code != exit_success) {
    throw failure(exit_failure, "--plot", fmt::format("{} failed ({})", program, code));
  }
  output_file(path, "--plot", answer, 0).commit();
}

}  // namespace tridia::cli
