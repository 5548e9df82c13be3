// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tridia/error.hpp"

namespace tridia_test {

/// Expects (GoogleTest) that `call` throws tridia::error with this code and a sentence that holds
/// all of these words.
void expect_refusal(tridia::errc code, const std::vector<std::string>& words,
                    const std::function<void()>& call);

}  // namespace tridia_test
