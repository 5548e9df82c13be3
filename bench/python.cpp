// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "python.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace tridia_bench {

std::span<const char* const> pythons() noexcept {
  static constexpr const char* names[] = {"/usr/bin/python3", "python3"};
  return names;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string script_word(const std::string& name) {
  const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return quoted(programs.parent_path() / "share" / "tridia" / name);
}

void run_script(const std::string& name, const std::string& arguments, const std::string& input) {
  const bool distribution = std::filesystem::exists(pythons().front());
  const std::string command = std::string(distribution ? pythons().front() : pythons().back()) +
                              " -B " + script_word(name) + " " + arguments;
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // it may not be there to read
  std::FILE* const pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) throw std::runtime_error(name + ": no process can be started");
  std::fwrite(input.data(), 1, input.size(), pipe);
  const int status = pclose(pipe);
  std::signal(SIGPIPE, before);
  if (status != 0) {
    throw std::runtime_error(name + " failed (" +
                             std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + ")");
  }
}

}  // namespace tridia_bench
