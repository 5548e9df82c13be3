// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"

namespace tridia {

/// Throws `error` about an argument: a sentence as `tridia::error` wants it.
[[noreturn]] inline void refuse(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

}  // namespace tridia
