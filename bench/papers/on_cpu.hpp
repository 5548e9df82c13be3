// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../gtsv.hpp"
#include "../suite.hpp"

#include <string>
#include <utility>
#include <vector>

// These are the parts of the papers' experiments that run on a CPU: peers and the library's CPU
// backend, with one thread and with all.
namespace tridia_bench {

/// These are the systems of the poster's experiment, in both types.
inline constexpr index_t kHybridRows = 1024, kHybridSystems = 1024;

/// Returns rows and systems of the thesis's table 4.1: lines of a plane, then of a cube.
std::vector<std::pair<index_t, index_t>> table_4_1_sizes();

void add_hybrid_on_cpu(suite& s, tridia::value_type type, const std::vector<gtsv_peer>& peers);
/// Adds a row of table 4.1: DGTSV called for each system, which has a matrix of its own, and for
/// many right-hand sides of one matrix.
void add_neato_on_cpu(suite& s, index_t n, index_t batch, const std::vector<gtsv_peer>& peers);

/// Adds these parts of an experiment alone. Throws if it has none.
void add_experiment_on_cpu(suite& s, const std::string& name, const std::vector<gtsv_peer>& peers);

}  // namespace tridia_bench
