// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv.hpp"
#include "scipy.hpp"
#include "suite.hpp"

#include <optional>
#include <vector>

namespace tridia_bench {

/// Measures the copy floors of one thread and of all threads, as rows and as references for the
/// cases. Called before and after the cases: the better rate counts, so that a neighbour's noise at
/// one end of a run does not flatter the solvers.
void measure_cpu_floors(suite& s, bool again);

/// Adds the library's CPU backend; constant coefficients are those of the spec.
void add_tridia_cpu(suite& s, const systems_spec& spec, tridia::pivoting p, int threads,
                    int repetitions);

/// Adds a case in which each thread solves its share of the right-hand sides of one matrix by one
/// call of a peer's DGTSV. The spec has one matrix and is contiguous, f64.
void add_peer_of_many(suite& s, const gtsv_peer& peer, const systems_spec& spec, int threads,
                      int repetitions);

/// Adds a case that loops over a peer's xGTSV.
void add_peer(suite& s, const gtsv_peer& peer, const systems_spec& spec, int threads,
              int repetitions);

/// Adds the library's cases, and each peer's beside them.
void add_cpu_cases(suite& s, const std::vector<gtsv_peer>& peers);

/// Adds compact operators along each axis of a cube, beside a loop over LAPACK's gttrs, and SciPy.
void add_cpu_derive(suite& s, const std::optional<scipy_peer>& scipy);

/// Adds gradients, divergences and Laplacians of a cube, in one call and as separate operators.
void add_cpu_differentials(suite& s);

}  // namespace tridia_bench
