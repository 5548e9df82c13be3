// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/plot.hpp"

#include "failure.hpp"
#include "files/output_file.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
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

/// A child returns this if there is no Python to run; neither Python nor a loader returns it.
constexpr int no_program = 125;

/// Holds a child's standard input and output.
struct child {
  pid_t id;
  int in, out;
};

child start(const char* const* arguments) {
  int to[2], from[2];
  if (::pipe(to) != 0 || ::pipe(from) != 0) throw failure(exit_failure, "--plot", "no pipe");
  const pid_t id = ::fork();
  if (id < 0) throw failure(exit_failure, "--plot", "no process can be started");
  if (id == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
    ::execvp(arguments[0], const_cast<char* const*>(arguments));
    ::_exit(code_of(errno) == exit_bad_input ? no_program : exit_failure);
  }
  ::close(to[0]);
  ::close(from[1]);
  return {id, to[1], from[0]};
}

void send(int fd, const std::string& text) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // it may not be there to read
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t bytes = ::write(fd, text.data() + sent, text.size() - sent);
    if (bytes <= 0) break;
    sent += static_cast<std::size_t>(bytes);
  }
  ::close(fd);
  std::signal(SIGPIPE, before);
}

std::string receive(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t bytes; (bytes = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
  ::close(fd);
  return text;
}

/// Returns a child's exit code; a signal is a failure like any other.
int wait_for(pid_t id) {
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_failure;
}

}  // namespace

void plot_wavenumbers(const nlohmann::ordered_json& report, const std::string& path) {
  const std::string program = script().string();
  const char* const arguments[] = {python(), program.c_str(), nullptr};
  const child c = start(arguments);
  send(c.in, report.dump());
  const std::string answer = receive(c.out);
  const int code = wait_for(c.id);
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
