// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

#include <functional>
#include <string>

namespace tridia::solver {

/// Calls a function for each of some systems: one after another, or several at a time.
class system_loop {
 public:
  virtual ~system_loop() = default;
  /// Returns how many systems are solved at a time.
  [[nodiscard]] virtual int threads() const = 0;
  /// Returns what a plan says of it, or nothing.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Calls f(i, thread) for i from 0 to count - 1.
  virtual void for_each(index_t count, const std::function<void(index_t, int)>& f) const = 0;
};

/// Returns an executor that solves systems in host memory a scalar at a time, whatever their
/// layout.
std::unique_ptr<const executor> make_scalar_executor(const task&,
                                                     std::unique_ptr<const system_loop>);

}  // namespace tridia::solver
