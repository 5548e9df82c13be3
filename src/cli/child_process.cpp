// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"

#include "failure.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tridia::cli {
namespace {

/// Holds a child's standard input and output.
struct child {
  pid_t id;
  int in, out;
};

child start(const std::vector<std::string>& arguments, const char* argument, bool all) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int to[2], from[2];
  if (::pipe(to) != 0 || ::pipe(from) != 0) throw failure(exit_failure, argument, "no pipe");
  const pid_t id = ::fork();
  if (id < 0) throw failure(exit_failure, argument, "no process can be started");
  if (id == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    if (all) ::dup2(from[1], STDERR_FILENO);
    for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
    ::execvp(words[0], words.data());
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

int wait_for(pid_t id) {
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_failure;
}

}  // namespace

child_result run_child(const std::vector<std::string>& arguments, const std::string& input,
                       const char* argument, bool all) {
  const child c = start(arguments, argument, all);
  send(c.in, input);
  std::string output = receive(c.out);
  return {wait_for(c.id), std::move(output)};
}

}  // namespace tridia::cli
