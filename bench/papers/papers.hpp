// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../gtsv.hpp"
#include "../suite.hpp"

#include <string>
#include <vector>

// These functions repeat the experiments of the papers that the named algorithms come from, on
// today's hardware.
namespace tridia_bench {

/// Returns the names of the experiments, as `tridia reproduce` takes them.
const std::vector<std::string>& experiments();

/// Adds the cases of an experiment, some of them the peers' on the CPU. Throws if it is not one.
void add_experiment(suite& s, const std::string& name, const std::vector<gtsv_peer>& peers);

/// Adds the experiments of Y. Zhang, A. A. Davidson, J. Cohen, J. D. Owens, "A Hybrid Method for
/// Solving Tridiagonal Systems on GPU": the switch point of the hybrids, and all solvers beside the
/// CPU's.
void add_hybrid(suite& s, const std::vector<gtsv_peer>& peers);

/// Adds those of P. Valero-Lara et al., "cuThomasBatch and cuThomasVBatch", 2018: one thread per
/// system, from small batches to those that fill the GPU.
void add_cuthomas(suite& s);

/// Adds those of A. A. Davidson, J. D. Owens, "Register Packing for Cyclic Reduction: A Case
/// Study", 2011.
void add_packing(suite& s);

/// Adds those of A. T. Srinath, thesis, Clemson University, 2015, table 4.1: NEATO in global and
/// shared memory.
void add_neato(suite& s, const std::vector<gtsv_peer>& peers);

}  // namespace tridia_bench
