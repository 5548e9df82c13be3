// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cleanup.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace tridia::cli {
namespace {

// A handler may touch nothing but such plain memory and async-signal-safe functions.
std::array<char, PATH_MAX> path_to_remove;
std::atomic<bool> armed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr char bus_sentence[] =
    "tridia: a file changed its size while it was read, or a disk failed; nothing was written\n";

extern "C" void remove_and_die(int signal) {
  if (armed.exchange(false)) ::unlink(path_to_remove.data());
  if (signal == SIGBUS) {
    [[maybe_unused]] const auto written = ::write(2, bus_sentence, sizeof bus_sentence - 1);
    ::_exit(1);
  }
  // The handler was reset: the parent sees which signal it was.
  ::raise(signal);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGBUS}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays so
  }
  ::signal(SIGXFSZ, SIG_IGN);  // A file-size limit is then an error code, which has a sentence.
}

}  // namespace

bool remove_on_signal(const std::string& path) {
  if (path.size() >= path_to_remove.size()) return false;
  std::memcpy(path_to_remove.data(), path.c_str(), path.size() + 1);
  armed = true;
  install_handlers();
  return true;
}

void keep_on_signal() { armed = false; }

}  // namespace tridia::cli
