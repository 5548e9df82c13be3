// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "scipy.hpp"

#include "python.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace tridia_bench {
namespace {

/// Reads the lines that a shell command prints.
class command_lines {
 public:
  explicit command_lines(const std::string& command) : pipe_(popen(command.c_str(), "r")) {
    if (pipe_ == nullptr) throw std::runtime_error("no process can be started: " + command);
  }
  ~command_lines() { pclose(pipe_); }
  command_lines(const command_lines&) = delete;
  command_lines& operator=(const command_lines&) = delete;

  /// Returns the next line, or nothing once there are no more.
  std::optional<std::string> next() {
    char text[256];
    if (std::fgets(text, sizeof text, pipe_) == nullptr) return {};
    std::string line = text;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
  }

 private:
  std::FILE* pipe_;
};

}  // namespace

std::optional<scipy_peer> find_scipy() {
  for (const char* const python : pythons()) {
    scipy_peer found{std::string(python) + " -B " + script_word("derive_scipy.py"), {}};
    command_lines lines(found.command + " versions 2>/dev/null");
    while (const auto line = lines.next()) {
      const auto space = line->find(' ');
      if (space != line->npos) found.versions[line->substr(0, space)] = line->substr(space + 1);
    }
    if (!found.versions.empty()) return found;
  }
  return {};
}

void run_scipy(benchmark::State& state, row& r, const scipy_peer& scipy, const std::string& solver,
               const derive_case& c) {
  command_lines lines(scipy.command + ' ' + solver + ' ' + std::to_string(c.points) + ' ' +
                      std::to_string(c.axis) + ' ' + std::to_string(r.most_repetitions));
  const auto number = [&] {
    const auto line = lines.next();
    if (!line) throw std::runtime_error("derive_scipy.py has ended before its results");
    return std::strtod(line->c_str(), nullptr);
  };
  const double error = number();
  measure(state, r, number);
  set_residual(r, error, tridia::value_type::f64);
}

}  // namespace tridia_bench
