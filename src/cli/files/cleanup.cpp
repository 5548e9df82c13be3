// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/cleanup.hpp"

#include "failure.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

namespace tridia::cli {
namespace {

// A signal handler may use nothing but such plain memory and async-signal-safe functions.
std::array<char, PATH_MAX> path_to_remove;
std::atomic<bool> armed{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::string_view bus_sentence =
    "tridia: a file changed its size while it was read, or a disk failed; nothing was written\n";
constexpr std::string_view memory_sentence = "tridia: memory ran out\n";

/// These are the signals whose default action ends a process, without those of faulty code.
constexpr int ending_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGBUS, SIGPIPE,
                                  SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

extern "C" void remove_file() {
  if (armed.exchange(false)) ::unlink(path_to_remove.data());
}

[[noreturn]] void fail(std::string_view sentence) {
  [[maybe_unused]] const auto written = ::write(2, sentence.data(), sentence.size());
  ::_exit(exit_failure);
}

extern "C" void remove_and_die(int signal) {
  remove_file();
  if (signal == SIGBUS) fail(bus_sentence);
  // The handler was reset, so the parent process sees which signal it was.
  ::raise(signal);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : ending_signals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays so
  }
  ::signal(SIGXFSZ, SIG_IGN);  // A file-size limit is then an error code, which has a sentence.
}

/// Asks for the type of the exception alone, which needs no memory. There is no exception where
/// there was no memory for it.
bool memory_ran_out() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  return thrown == nullptr || *thrown == typeid(std::bad_alloc);
}

std::terminate_handler usual_terminate = std::abort;

void remove_and_terminate() {
  remove_file();
  if (memory_ran_out()) fail(memory_sentence);
  usual_terminate();
}

}  // namespace

void handle_exhausted_memory() { usual_terminate = std::set_terminate(remove_and_terminate); }

void handle_signals() {
  // The file must be removed at exit, too: OpenMP's runtime calls exit when it cannot start a
  // thread.
  static const bool once = (install_handlers(), std::atexit(remove_file) == 0);
  static_cast<void>(once);
}

bool remove_when_ended(const std::string& path) {
  if (path.size() >= path_to_remove.size()) return false;
  std::memcpy(path_to_remove.data(), path.c_str(), path.size() + 1);
  armed = true;
  handle_signals();
  return true;
}

void keep_when_ended() { armed = false; }

}  // namespace tridia::cli
