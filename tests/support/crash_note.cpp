// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/crash_note.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tridia_test {
namespace {

char current[2048];

// This function calls only what is safe in a signal handler.
extern "C" void print_note(int) {
  constexpr char kIntroduction[] = "\nCrashed in: ";
  [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, kIntroduction, sizeof kIntroduction - 1);
  ignored = write(STDERR_FILENO, current, std::strlen(current));
  ignored = write(STDERR_FILENO, "\n", 1);
}

void install() {
#if !defined(__SANITIZE_ADDRESS__)  // It reports crashes better.
  struct sigaction action = {};
  action.sa_handler = print_note;
  // The instruction is repeated after the handler, and crashes as if there were none.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace

void note_for_crash(const std::string& note) {
  [[maybe_unused]] static const bool installed = (install(), true);
  const std::size_t length = std::min(note.size(), sizeof current - 1);
  std::memcpy(current, note.data(), length);
  current[length] = 0;
}

}  // namespace tridia_test
