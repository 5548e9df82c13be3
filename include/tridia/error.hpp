// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tridia {

/// Says which kind of error occurred. The numbers are stable and never reused.
enum class errc {
  invalid_argument = 1,  ///< An argument is wrong or two disagree: the sentence names them.
  unsupported = 2,       ///< The request is sound but this build, device or algorithm lacks it.
  out_of_memory = 3,     ///< Memory of the host or the device ran out.
  wrong_device = 4,      ///< A pointer to memory that the plan's backend cannot reach.
  device_failure = 5,    ///< CUDA reported an error.
  singular = 6,  ///< One-call forms: a system has no (finite) solution. Plans: `problem::matrix`.
  peer_failure = 7,  ///< Another rank died, failed, or did not come within the time limit.
};

/// This is the one exception that the library throws: a code, and a sentence that says what to do.
/// Where one argument is wrong, the sentence begins with its name and a colon, as "axis: 3 is …".
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace tridia
