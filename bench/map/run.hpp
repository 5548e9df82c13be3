// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia_bench {

/// Runs `tridia bench map`: every feature at many shapes, each against its floor. Returns the exit
/// code: 0, or 1 where a cell is wrong. Throws where the program cannot run.
int run_map(int argc, char** argv);

}  // namespace tridia_bench
