// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"

namespace tridia_bench {

/// Adds the transfer of the four arrays to the device and of the solutions back, from and to
/// page-locked memory of the host.
void add_transfer(suite& s, const systems_spec& spec);

}  // namespace tridia_bench
