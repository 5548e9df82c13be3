// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace tridia::cli {

/// These are the exit codes of the process.
enum exit_code : int {
  exit_success = 0,
  exit_failure = 1,    ///< Memory, a disk or a device failed.
  exit_bad_input = 2,  ///< An argument or a file is wrong; nothing was written.
  exit_singular = 3,   ///< The output was written, but some systems have no solution.
};

/// This is the command line's only exception: it holds a sentence for the user, and the argument
/// that it is about.
class failure : public std::runtime_error {
 public:
  failure(exit_code code, std::string argument, const std::string& sentence)
      : std::runtime_error(argument.empty() ? sentence : argument + ": " + sentence),
        code_(code),
        argument_(std::move(argument)) {}

  [[nodiscard]] exit_code code() const noexcept { return code_; }
  /// Returns "--d", "--out", …, or nothing.
  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }

 private:
  exit_code code_;
  std::string argument_;
};

/// Classifies a system call's error number for a file that an argument names: the argument is
/// wrong, or the machine failed (ENOMEM, ENOSPC, EIO, EMFILE, …).
constexpr exit_code code_of(int error) noexcept {
  switch (error) {
    case EACCES:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENODEV:
    case ENOENT:
    case ENOTDIR:
    case ENXIO:
    case EPERM:
    case EROFS:
      return exit_bad_input;
    default:
      return exit_failure;
  }
}

inline failure bad_input(std::string argument, const std::string& sentence) {
  return {exit_bad_input, std::move(argument), sentence};
}

}  // namespace tridia::cli
