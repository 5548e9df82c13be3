// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"

#include "tridia/types.hpp"

namespace tridia_bench {

/// Adds what Thomas on an interleaved copy does before and after it solves, without the solve.
void add_transformation(suite& s, const systems_spec& spec, tridia::transformation t);

}  // namespace tridia_bench
