// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"

namespace tridia_test {

/// Calls of operator new so far, in programs that link allocations.cpp. AddressSanitizer has an
/// operator new of its own: the count is then always 0.
long allocations();

/// Expects that an operator of f64 on the CPU, with a workspace and once it has been applied,
/// allocates nothing when it is applied again.
void expect_applying_allocates_nothing(const tridia::compact_operator&);

}  // namespace tridia_test
