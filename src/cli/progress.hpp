// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <chrono>
#include <string_view>

namespace tridia::cli {

/// Shows a progress bar on stderr for work in parts; silent unless `enabled`.
class progress {
 public:
  progress(bool enabled, index_t parts, std::string_view parts_name = "slabs");
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void advance();

 private:
  void draw() const;

  bool enabled_;
  index_t parts_, done_ = 0;
  std::string_view parts_name_;
  std::chrono::steady_clock::time_point begin_, drawn_;
};

/// Returns whether stderr is a terminal.
bool stderr_is_terminal() noexcept;

}  // namespace tridia::cli
