// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tridia/error.hpp"

namespace tridia_test {

/// Returns the sentence with which something is refused, for the reason that is expected; "" if it
/// is not.
inline std::string refusal(tridia::errc code, const std::function<void()>& what) {
  try {
    what();
  } catch (const tridia::error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "";
}

}  // namespace tridia_test
