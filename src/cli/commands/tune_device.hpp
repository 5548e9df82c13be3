// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tridia::cli {

/// Times plans on the current GPU, on systems that it makes: diagonally dominant, in arrays of
/// `array_bytes` each.
class tune_device {
 public:
  virtual ~tune_device() = default;
  /// Returns the seconds of an execution: the median of `repetitions`.
  virtual double time(const plan& p, int repetitions) = 0;
  /// Returns the compute capability: 90 is 9.0.
  [[nodiscard]] virtual int capability() const = 0;
  /// Returns the GPU's name.
  [[nodiscard]] virtual std::string name() const = 0;

  static constexpr std::size_t array_bytes = std::size_t{128} << 20;
};

std::unique_ptr<tune_device> make_tune_device();

}  // namespace tridia::cli
