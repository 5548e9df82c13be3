// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia_test {

/// Sets the text that is printed if the process crashes from now on: thousands of cases share one
/// process.
void note_for_crash(const std::string& note);

}  // namespace tridia_test
