// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia_test {

/// Calls of operator new so far, in programs that link allocations.cpp. AddressSanitizer has an
/// operator new of its own: the count is then always 0.
long allocations();

}  // namespace tridia_test
