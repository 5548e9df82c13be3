// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/c/distributed.h"
#include "tridia/distributed.hpp"

namespace tridia::c_api {

/// Returns what a handle stands for, or refuses it.
const distributed::decomposition& decomposition_of(const tridia_decomposition* d);

/// Returns a strategy, and refuses a number that is none.
distributed::strategy strategy_of(int value);

/// Returns the times of steps as the C interface has them.
tridia_step_times as_c(const distributed::step_times& s);

/// Refuses a number that is not that of a rank.
void check_member(const distributed::decomposition& d, int of_rank);

/// Copies a rank's block for the caller.
void copy_block(const distributed::decomposition& d, int of_rank, std::int64_t* begin,
                std::int64_t* extents);

}  // namespace tridia::c_api
