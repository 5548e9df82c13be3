// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

namespace tridia::cpu {

/// Returns whether the kernels of operators take the lines of a task, and read and write all in
/// long pieces: real numbers, contiguous. Lines that are neighbours in memory are eliminated as
/// fast.
bool suits_operators(const solver::task&);

/// Returns whether their sweeps along whole lines of one matrix are then faster than elimination.
bool sweeps_are_faster(const solver::task&);

}  // namespace tridia::cpu
